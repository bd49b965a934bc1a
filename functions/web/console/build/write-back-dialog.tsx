import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showToast } from "../lib/toast.ts";
import { providerLabels } from "../lib/write-back.ts";
import { api } from "../session/session.ts";
import { SelectField, TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";

type Settings = ReplyOf<"/v1/webhooks/{channel_id}", "patch">["write_back"];
type Provider = NonNullable<Settings>["provider"];
type Mode = "off" | "auto" | "confirm" | "approve";

const actions = ["acknowledge", "note", "resolve"] as const;

const actionLabels = () => ({ acknowledge: t("Acknowledge"), note: t("Write a note"), resolve: t("Resolve") });

const modes = (): readonly (readonly [Mode, string])[] => [
  ["off", t("Not offered")],
  ["auto", t("Without asking")],
  ["confirm", t("The asker confirms")],
  ["approve", t("Someone else approves")],
];

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
  const [provider, setProvider] = useState<Provider | "">(settings?.provider ?? "");
  const [url, setUrl] = useState(settings?.url ?? "");
  const [secret, setSecret] = useState("");
  const [from, setFrom] = useState(settings?.from ?? "");
  const [chosen, setChosen] = useState<Record<(typeof actions)[number], Mode>>({
    acknowledge: settings ? (settings.actions.acknowledge ?? "off") : "confirm",
    note: settings ? (settings.actions.note ?? "off") : "confirm",
    resolve: settings ? (settings.actions.resolve ?? "off") : "confirm",
  });
  const [isPosted, setPosted] = useState<"yes" | "no">(settings?.post_result ? "yes" : "no");
  const hasNotes = provider !== "pagerduty_events";
  const offered = actions.filter((action) => action !== "note" || hasNotes);
  const save = async () => {
    const given = Object.fromEntries(
      offered.flatMap((action) => (chosen[action] === "off" ? [] : [[action, chosen[action]]])),
    );
    const write_back =
      provider === ""
        ? null
        : {
            provider,
            ...(url && { url }),
            ...(secret && { secret }),
            from: provider === "pagerduty" ? from : null,
            actions: given,
            post_result: hasNotes && isPosted === "yes",
          };
    await api.PATCH("/v1/webhooks/{channel_id}", { params: { path: { channel_id: channelId } }, body: { write_back } });
    invalidate(`webhooks:${channelId}`);
    invalidate("investigations:");
    showToast(t("Saved."));
  };
  return (
    <EditDialog title={t("Write back")} onSave={save} onClose={onClose}>
      <p class="muted small">
        {t(
          "People acknowledge, comment and resolve incidents of this channel here, and the service of the alerts is told.",
        )}
      </p>
      <SelectField<Provider | "">
        label={t("Service")}
        name="write_back.provider"
        value={provider}
        onValue={(next) => {
          setProvider(next);
          // The address of another service would be wrong; the service's own is the default.
          setUrl(settings && next === settings.provider ? settings.url : "");
        }}
        options={[["", t("None")], ...(Object.entries(providerLabels) as [Provider, string][])]}
      />
      {provider !== "" && (
        <>
          <TextField
            label={t("Address of the API")}
            name="write_back.url"
            hint={t("Empty for that of the service")}
            value={url}
            onValue={setUrl}
            pattern="https?://.+"
          />
          <TextField
            label={t("API key or token")}
            name="write_back.secret"
            type="password"
            hint={settings?.has_secret ? t("Empty to keep the present one") : null}
            value={secret}
            onValue={setSecret}
          />
          {provider === "pagerduty" && (
            <TextField
              label={t("E-mail address of a user of PagerDuty")}
              name="write_back.from"
              type="email"
              value={from}
              onValue={setFrom}
              required
            />
          )}
          {offered.map((action) => (
            <SelectField<Mode>
              key={action}
              label={actionLabels()[action]}
              name={`write_back.actions.${action}`}
              value={chosen[action]}
              onValue={(mode) => setChosen({ ...chosen, [action]: mode })}
              options={modes()}
            />
          ))}
          {hasNotes && (
            <SelectField<"yes" | "no">
              label={t("Write the result of investigations as a note")}
              name="write_back.post_result"
              value={isPosted}
              onValue={setPosted}
              options={[
                ["no", t("No")],
                ["yes", t("Yes")],
              ]}
            />
          )}
        </>
      )}
    </EditDialog>
  );
}
