import type { Messenger } from "../../../../shared/api/messengers/event-ref.ts";
import { AreaView, type SectionViews } from "../area-view.tsx";
import { Webhooks } from "./alerts/webhooks.tsx";
import { Approvals } from "./approvals.tsx";
import { Incidents } from "./incidents.tsx";
import { WorkspaceList } from "./messengers/workspace-list.tsx";
import { WorkspacePage } from "./messengers/workspace-page.tsx";

/** Workspaces of a messenger, or one of them. */
const MessengerView = ({ messenger, id }: { readonly messenger: Messenger; readonly id: string | null }) =>
  id ? (
    <WorkspacePage key={id} messenger={messenger} id={id} />
  ) : (
    <WorkspaceList key={messenger} messenger={messenger} />
  );

const views: SectionViews = {
  approvals: Approvals,
  incidents: Incidents,
  alerts: ({ id }) => <Webhooks current={id} />,
  slack: ({ id }) => <MessengerView messenger="slack" id={id} />,
  teams: ({ id }) => <MessengerView messenger="teams" id={id} />,
};

/** Area with approvals, incidents, the channels of alerts and messengers. */
export const OperateView = () => <AreaView name="operate" views={views} />;
