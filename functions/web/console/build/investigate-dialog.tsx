import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { SelectField, TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";
import { MutedAlerts } from "./muted-alerts.tsx";

type Settings = ReplyOf<"/v1/webhooks/{channel_id}", "patch">["investigate"];
type Severity = NonNullable<Settings>["min_severity"];

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
  const [persona, setPersona] = useState(settings?.persona ?? "");
  const [severity, setSeverity] = useState<Severity>(settings?.min_severity ?? "high");
  const [service, setService] = useState(settings?.match.service ?? "");
  const [tokens, setTokens] = useState(String(settings?.budget.tokens_per_day ?? 2_000_000));
  const [minutes, setMinutes] = useState(String(settings?.max_minutes ?? 10));
  const [mute, setMute] = useState(settings?.mute ?? []);
  const save = async () => {
    const { set_by: _, ...stored } = settings ?? { set_by: "" };
    const investigate = {
      ...stored,
      persona,
      min_severity: severity,
      match: { ...settings?.match, service: service || undefined },
      budget: { ...settings?.budget, tokens_per_day: Number(tokens) },
      max_minutes: Number(minutes),
      mute,
    };
    await api.PATCH("/v1/webhooks/{channel_id}", {
      params: { path: { channel_id: channelId } },
      body: { investigate: persona === "" ? null : investigate },
    });
    invalidate(`webhooks:${channelId}`);
    showToast(t("Saved."));
  };
  return (
    <EditDialog title={t("Investigations")} onSave={save} onClose={onClose}>
      <p class="muted small">
        {t("An alert starts an investigation in its thread. It reads and uses tools with your rights.")}
      </p>
      <SelectField
        label={t("Persona")}
        name="persona"
        value={persona}
        onValue={setPersona}
        options={[["", t("No investigations")], ...personas.map(({ id, name }) => [id, name] as const)]}
      />
      <SelectField
        label={t("Lowest severity")}
        name="min_severity"
        value={severity}
        onValue={setSeverity}
        options={[
          ["low", t("low")],
          ["medium", t("medium")],
          ["high", t("high")],
          ["critical", t("critical")],
        ]}
      />
      <TextField
        label={t("Service")}
        name="service"
        hint={t("Empty for all; * stands for any characters")}
        value={service}
        onValue={setService}
      />
      <TextField
        label={t("Tokens a day")}
        name="tokens_per_day"
        pattern="[0-9]{4,10}"
        value={tokens}
        onValue={setTokens}
        required
      />
      <TextField
        label={t("Minutes of an investigation at most")}
        name="max_minutes"
        pattern="[1-9]|1[0-4]"
        value={minutes}
        onValue={setMinutes}
        required
      />
      <MutedAlerts mute={mute} onMute={setMute} />
    </EditDialog>
  );
}
