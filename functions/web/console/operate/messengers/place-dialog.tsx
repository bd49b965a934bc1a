import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { useSlackWorkspaces, useTeamsWorkspaces } from "../../lib/lists.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

type Place = ReplyOf<"/v1/webhooks/{channel_id}", "patch">["slack" | "teams"];

interface PlaceDialogProps {
  readonly channelId: string;
  readonly place: Place;
  readonly onClose: () => void;
}

/** Dialog that chooses the channel of a messenger to which a webhook channel posts its alerts. */
function PlaceDialog({
  channelId,
  place,
  onClose,
  messenger,
  name,
  workspaces,
  hint,
}: PlaceDialogProps & {
  readonly messenger: "slack" | "teams";
  readonly name: string;
  /** Null while they are loaded. */
  readonly workspaces: readonly (readonly [id: string, name: string])[] | null;
  readonly hint: string;
}) {
  const params = { path: { channel_id: channelId } };
  return (
    <FormDialog
      title={t("Alerts in {messenger}", { messenger: name })}
      schema={bodySchema("/v1/webhooks/{channel_id}", "patch")}
      value={{ [messenger]: place }}
      fields={(get) => [
        {
          name: `${messenger}.workspace_id`,
          label: t("Workspace"),
          hint: workspaces?.length === 0 && t("Add a workspace under {messenger} first.", { messenger: name }),
          options: [["", t("Not in {messenger}", { messenger: name })], ...(workspaces ?? [])],
        },
        get(`${messenger}.workspace_id`) !== "" && {
          name: `${messenger}.channel`,
          label: t("Id of the channel"),
          hint,
          isRequired: true,
          parse: (draft) => String(draft).trim(),
        },
      ]}
      resource={`webhooks:${channelId}`}
      savedText={t("Saved.")}
      onSave={(body) =>
        api.PATCH("/v1/webhooks/{channel_id}", { params, body: { [messenger]: body[messenger] ?? null } })
      }
      onClose={onClose}
    >
      <p class="muted small">
        {t("Alerts, their later events and results of investigations are posted to a channel that the app is in.")}
      </p>
    </FormDialog>
  );
}

export function SlackPlaceDialog(props: PlaceDialogProps) {
  const list = useSlackWorkspaces();
  const workspaces = list.value?.workspaces.map(({ id, name, team_name }) => [id, team_name ?? name] as const) ?? null;
  const hint = t("At the end of the channel's details in Slack, such as C0123456789");
  return <PlaceDialog {...props} messenger="slack" name="Slack" workspaces={workspaces} hint={hint} />;
}

export function TeamsPlaceDialog(props: PlaceDialogProps) {
  const list = useTeamsWorkspaces();
  const connected = list.value?.workspaces.filter(({ teams_tenant_id }) => teams_tenant_id !== null);
  const workspaces = connected?.map(({ id, name }) => [id, name] as const) ?? null;
  const hint = t("In the link to the channel, decoded, such as 19:abc123@thread.tacv2");
  return <PlaceDialog {...props} messenger="teams" name="Teams" workspaces={workspaces} hint={hint} />;
}
