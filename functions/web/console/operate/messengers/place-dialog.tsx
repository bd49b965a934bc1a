import type { Messenger } from "../../../../../shared/api/messengers/event-ref.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { useMessengerWorkspaces } from "../../lib/lists.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { messengerTexts } from "./messenger-texts.ts";

type Place = ReplyOf<"/v1/webhooks/{channel_id}", "patch">["slack" | "teams"];

interface PlaceDialogProps {
  readonly channelId: string;
  readonly place: Place;
  readonly messenger: Messenger;
  readonly onClose: () => void;
}

/** Dialog that chooses the channel of a messenger to which a webhook channel posts its alerts. */
export function PlaceDialog({ channelId, place, messenger, onClose }: PlaceDialogProps) {
  const params = { path: { channel_id: channelId } };
  const list = useMessengerWorkspaces(messenger);
  const workspaces = list.value?.workspaces.filter(
    ({ organization_id }) => messenger === "slack" || organization_id !== null,
  );
  const { title: name, channelHint: hint } = messengerTexts(messenger);
  const options = workspaces?.map(({ id, name, organization_name }) => [id, organization_name ?? name] as const) ?? [];
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
          options: [["", t("Not in {messenger}", { messenger: name })], ...options],
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
