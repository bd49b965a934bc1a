import { AreaView, type SectionViews } from "../area-view.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { Audit } from "./audit/audit.tsx";
import { Budgets } from "./budgets.tsx";
import { EventEndpoints } from "./events/event-endpoints.tsx";
import { Models } from "./models.tsx";
import { PeopleView } from "./people/people-view.tsx";
import { PolicyView } from "./policy.tsx";
import { UsageView } from "./usage.tsx";

const views: SectionViews = {
  people: PeopleView,
  policy: PolicyView,
  budgets: Budgets,
  usage: UsageView,
  audit: Audit,
  "api-keys": ApiKeys,
  models: Models,
  events: ({ id }) => <EventEndpoints current={id} />,
};

/** Area with what administrators decide for the organization. */
export const AdminView = () => <AreaView name="admin" views={views} />;
