import { AreaView, type SectionViews } from "../area-view.tsx";
import { Webhooks } from "./alerts/webhooks.tsx";
import { Approvals } from "./approvals.tsx";
import { Incidents } from "./incidents.tsx";
import { SlackWorkspaces } from "./slack/slack-workspaces.tsx";
import { TeamsWorkspaces } from "./teams/teams-workspaces.tsx";

const views: SectionViews = {
  approvals: Approvals,
  incidents: Incidents,
  alerts: ({ id }) => <Webhooks current={id} />,
  slack: ({ id }) => <SlackWorkspaces current={id} />,
  teams: ({ id }) => <TeamsWorkspaces current={id} />,
};

/** Area with approvals, incidents, the channels of alerts and messengers. */
export const OperateView = () => <AreaView name="operate" views={views} />;
