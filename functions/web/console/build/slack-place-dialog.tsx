import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { useSlackWorkspaces } from "../lib/lists.ts";
import { showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { SelectField, TextField } from "../ui/controls.tsx";
import { EditDialog } from "../ui/form.tsx";

/** Dialog for the channel of Slack to which the alerts of a channel are posted. */
export function SlackPlaceDialog({
  channelId,
  place,
  onClose,
}: {
  readonly channelId: string;
  readonly place: ReplyOf<"/v1/webhooks/{channel_id}", "patch">["slack"];
  readonly onClose: () => void;
}) {
  const list = useSlackWorkspaces();
  const [workspace, setWorkspace] = useState(place?.workspace_id ?? "");
  const [channel, setChannel] = useState(place?.channel ?? "");
  const save = async () => {
    const slack = workspace === "" ? null : { workspace_id: workspace, channel: channel.trim() };
    await api.PATCH("/v1/webhooks/{channel_id}", { params: { path: { channel_id: channelId } }, body: { slack } });
    invalidate(`webhooks:${channelId}`);
    showToast(t("Saved."));
  };
  return (
    <EditDialog title={t("Alerts in Slack")} onSave={save} onClose={onClose}>
      <p class="muted small">
        {t("Alerts, their later events and results of investigations are posted to a channel that the app is in.")}
      </p>
      <SelectField
        label={t("Workspace")}
        name="slack.workspace_id"
        value={workspace}
        onValue={setWorkspace}
        hint={list.value?.workspaces.length === 0 ? t("Add a workspace under Slack first.") : undefined}
        options={[
          ["", t("Not in Slack")],
          ...(list.value?.workspaces ?? []).map(({ id, name, team_name }) => [id, team_name ?? name] as const),
        ]}
      />
      {workspace !== "" && (
        <TextField
          label={t("Id of the channel")}
          name="slack.channel"
          hint={t("At the end of the channel's details in Slack, such as C0123456789")}
          value={channel}
          onValue={setChannel}
          required
        />
      )}
    </EditDialog>
  );
}
