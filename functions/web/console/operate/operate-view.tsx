import type { Messenger } from "../../../../shared/api/messengers/event-ref.ts";
import { AreaView, type SectionViews } from "../area-view.tsx";
import { Webhooks } from "./alerts/webhooks.tsx";
import { Approvals } from "./approvals.tsx";
import { Incidents } from "./incidents.tsx";
import { WorkspaceList } from "./messengers/workspace-list.tsx";
import { WorkspacePage } from "./messengers/workspace-page.tsx";
import { HandoverPage } from "./visitors/handover-page.tsx";
import { Handovers } from "./visitors/handovers.tsx";

/** Workspaces of a messenger, or one of them. */
const MessengerView = ({ messenger, id }: { readonly messenger: Messenger; readonly id: string | null }) =>
  id ? (
    <WorkspacePage key={id} messenger={messenger} id={id} />
  ) : (
    <WorkspaceList key={messenger} messenger={messenger} />
  );

const views: SectionViews = {
  approvals: Approvals,
  visitors: ({ id }) => (id ? <HandoverPage key={id} id={id} /> : <Handovers />),
  incidents: Incidents,
  alerts: ({ id }) => <Webhooks current={id} />,
  slack: ({ id }) => <MessengerView messenger="slack" id={id} />,
  teams: ({ id }) => <MessengerView messenger="teams" id={id} />,
};

/** Area with approvals, visitors who ask for a person, incidents, the channels of alerts and messengers. */
export const OperateView = () => <AreaView name="operate" views={views} />;
