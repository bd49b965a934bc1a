import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { useSlackWorkspaces, useTeamsWorkspaces } from "../../lib/lists.ts";
import { showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";

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
  const [workspace, setWorkspace] = useState(place?.workspace_id ?? "");
  const [channel, setChannel] = useState(place?.channel ?? "");
  const save = async () => {
    const body = { [messenger]: workspace === "" ? null : { workspace_id: workspace, channel: channel.trim() } };
    await api.PATCH("/v1/webhooks/{channel_id}", { params: { path: { channel_id: channelId } }, body });
    invalidate(`webhooks:${channelId}`);
    showToast(t("Saved."));
  };
  return (
    <EditDialog title={t("Alerts in {messenger}", { messenger: name })} onSave={save} onClose={onClose}>
      <p class="muted small">
        {t("Alerts, their later events and results of investigations are posted to a channel that the app is in.")}
      </p>
      <SelectField
        label={t("Workspace")}
        name={`${messenger}.workspace_id`}
        value={workspace}
        onValue={setWorkspace}
        hint={workspaces?.length === 0 ? t("Add a workspace under {messenger} first.", { messenger: name }) : undefined}
        options={[["", t("Not in {messenger}", { messenger: name })], ...(workspaces ?? [])]}
      />
      {workspace !== "" && (
        <TextField
          label={t("Id of the channel")}
          name={`${messenger}.channel`}
          hint={hint}
          value={channel}
          onValue={setChannel}
          required
        />
      )}
    </EditDialog>
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
