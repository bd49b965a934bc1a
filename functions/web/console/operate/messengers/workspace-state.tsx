import type { MessengerWorkspace } from "../../../../../shared/api/messengers/workspaces.ts";
import { t } from "../../lib/i18n.ts";
import { Badge } from "../../ui/status.tsx";
import { messengerTexts } from "./messenger-texts.ts";

/** State of a workspace, and the organization that is connected with it. */
export function WorkspaceState({ workspace }: { readonly workspace: MessengerWorkspace }) {
  const { messenger, status, organization_id, organization_name } = workspace;
  const labels = {
    incomplete: t("Set-up not complete"),
    unconnected: t("Not connected yet"),
    ready: t("Ready"),
    disabled: t("Switched off"),
    failed: messengerTexts(messenger).refusedText,
  };
  const kinds = {
    incomplete: "warning",
    unconnected: "warning",
    ready: "success",
    disabled: "",
    failed: "danger",
  } as const;
  return (
    <>
      <Badge kind={kinds[status]}>{labels[status]}</Badge>
      {organization_id && <span class="small muted">{organization_name ?? organization_id}</span>}
    </>
  );
}
