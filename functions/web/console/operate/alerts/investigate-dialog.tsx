import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { severityTexts } from "../../lib/codes/server-texts.ts";
import { t } from "../../lib/i18n.ts";
import { usePersonas } from "../../lib/lists.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type Muted, MutedAlerts } from "./muted-alerts.tsx";

type Settings = ReplyOf<"/v1/webhooks/{channel_id}", "patch">["investigate"];

/** Dialog for the investigations that the alerts of a channel start. */
export function InvestigateDialog({
  channelId,
  settings,
  onClose,
}: {
  readonly channelId: string;
  readonly settings: Settings;
  readonly onClose: () => void;
}) {
  const personas = usePersonas().value?.personas ?? [];
  const params = { path: { channel_id: channelId } };
  return (
    <FormDialog
      title={t("Investigations")}
      schema={bodySchema("/v1/webhooks/{channel_id}", "patch")}
      value={{ investigate: settings ?? { budget: { tokens_per_day: 2_000_000 }, mute: [] } }}
      fields={[
        {
          name: "investigate.persona",
          label: t("Persona"),
          options: [["", t("No investigations")], ...personas.map(({ id, name }) => [id, name] as const)],
        },
        { name: "investigate.min_severity", label: t("Lowest severity"), options: severityTexts() },
        {
          name: "investigate.match.service",
          label: t("Service"),
          hint: t("Empty for all; * stands for any characters"),
        },
        { name: "investigate.budget.tokens_per_day", label: t("Tokens a day"), isRequired: true },
        { name: "investigate.max_minutes", label: t("Minutes of an investigation at most"), isRequired: true },
        {
          name: "investigate.mute",
          label: t("Not investigated"),
          render: ({ value, onValue }) => <MutedAlerts mute={value as Muted} onMute={onValue} />,
        },
      ]}
      resource={`webhooks:${channelId}`}
      savedText={t("Saved.")}
      onSave={({ investigate }) => {
        const { set_by: _, ...stored } = settings ?? { set_by: "" };
        const changed = investigate?.persona && {
          ...stored,
          ...investigate,
          match: { ...settings?.match, service: undefined, ...investigate.match },
          budget: { ...settings?.budget, ...investigate.budget },
        };
        return api.PATCH("/v1/webhooks/{channel_id}", { params, body: { investigate: changed || null } });
      }}
      onClose={onClose}
    >
      <p class="muted small">
        {t("An alert starts an investigation in its thread. It reads and uses tools with your rights.")}
      </p>
    </FormDialog>
  );
}
