import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { providerLabels } from "../../lib/write-back.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import type { FormEntry } from "../../ui/form-fields.tsx";

type Settings = ReplyOf<"/v1/webhooks/{channel_id}", "patch">["write_back"];

const actions = ["acknowledge", "note", "resolve"] as const;

const defaultActions = { acknowledge: "confirm", note: "confirm", resolve: "confirm" };

const actionLabels = () => ({ acknowledge: t("Acknowledge"), note: t("Write a note"), resolve: t("Resolve") });

const modes = () => ({
  off: t("Not offered"),
  auto: t("Without asking"),
  confirm: t("The asker confirms"),
  approve: t("Someone else approves"),
});

/** Dialog for the service that updates of a channel's incidents are written to. */
export function WriteBackDialog({
  channelId,
  settings,
  onClose,
}: {
  readonly channelId: string;
  readonly settings: Settings;
  readonly onClose: () => void;
}) {
  const params = { path: { channel_id: channelId } };
  const stored = settings ? { acknowledge: "off", note: "off", resolve: "off", ...settings.actions } : defaultActions;
  return (
    <FormDialog
      title={t("Write back")}
      schema={bodySchema("/v1/webhooks/{channel_id}", "patch")}
      value={{ write_back: { ...settings, actions: stored } }}
      fields={(get) => {
        const provider = get("write_back.provider");
        const hasNotes = provider !== "pagerduty_events";
        const service: FormEntry<"write_back.provider"> = {
          name: "write_back.provider",
          label: t("Service"),
          options: [["", t("None")], ...Object.entries(providerLabels)],
          // The address of another service would be wrong; the service's own is the default.
          onChange: (next) => ({ "write_back.url": next === settings?.provider ? settings?.url : "" }),
        };
        if (!provider) return [service];
        return [
          service,
          {
            name: "write_back.url",
            label: t("Address of the API"),
            hint: t("Empty for that of the service"),
            type: "url",
          },
          {
            name: "write_back.secret",
            label: t("API key or token"),
            type: "password",
            hint: settings?.has_secret && t("Empty to keep the present one"),
          },
          provider === "pagerduty" && {
            name: "write_back.from",
            label: t("E-mail address of a user of PagerDuty"),
            type: "email",
            isRequired: true,
          },
          ...actions
            .filter((action) => action !== "note" || hasNotes)
            .map((action) => ({
              name: `write_back.actions.${action}` as const,
              label: actionLabels()[action],
              options: modes(),
            })),
          hasNotes && { name: "write_back.post_result", label: t("Write the result of investigations as a note") },
        ];
      }}
      resource={`webhooks:${channelId}`}
      savedText={t("Saved.")}
      onSave={async ({ write_back: changed }) => {
        const write_back = changed?.provider
          ? {
              from: null,
              post_result: false,
              ...changed,
              actions: Object.fromEntries(
                Object.entries(changed.actions ?? {}).filter(([, mode]) => (mode as string) !== "off"),
              ),
            }
          : null;
        await api.PATCH("/v1/webhooks/{channel_id}", { params, body: { write_back } });
        invalidate("investigations:");
      }}
      onClose={onClose}
    >
      <p class="muted small">
        {t(
          "People acknowledge, comment and resolve incidents of this channel here, and the service of the alerts is told.",
        )}
      </p>
    </FormDialog>
  );
}
