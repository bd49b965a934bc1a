import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";

export type Muted = NonNullable<ReplyOf<"/v1/webhooks/{channel_id}", "patch">["investigate"]>["mute"];

const HOUR_MS = 3_600_000;

const describeMatch = ({ service, title, labels }: Muted[number]["match"]) =>
  [service, title, ...Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`)]
    .filter(Boolean)
    .join(", ") || t("All alerts");

/** Periods in which alerts are not investigated, such as maintenance windows. */
export function MutedAlerts({ mute, onMute }: { readonly mute: Muted; readonly onMute: (mute: Muted) => void }) {
  const [service, setService] = useState("");
  const [start, setStart] = useState("");
  const [hours, setHours] = useState("8");
  const add = () => {
    const from = start === "" ? null : new Date(start).toISOString();
    const until =
      hours === "" ? null : new Date((from ? Date.parse(from) : Date.now()) + Number(hours) * HOUR_MS).toISOString();
    onMute([...mute, { match: service ? { service } : {}, from, until }]);
    setService("");
    setStart("");
  };
  return (
    <fieldset>
      <legend class="label">{t("Not investigated")}</legend>
      {mute.map((entry, index) => (
        <div key={`${index} ${entry.until}`} class="row between">
          <span class="break">
            {describeMatch(entry.match)}{" "}
            <span class="muted small">
              {entry.from && `${t("from {date}", { date: formatDateTime(entry.from) })} `}
              {entry.until ? t("until {date}", { date: formatDateTime(entry.until) }) : t("until it is removed")}
            </span>
          </span>
          <IconButton
            icon="trash"
            label={t("Remove {name}", { name: describeMatch(entry.match) })}
            onClick={() => onMute(mute.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <div class="row wrap">
        <TextField label={t("Service")} name="muted_service" value={service} onValue={setService} />
        <TextField
          label={t("Start (empty: now)")}
          name="muted_from"
          type="datetime-local"
          value={start}
          onValue={setStart}
        />
        <SelectField
          label={t("For how long")}
          name="muted_hours"
          value={hours}
          onValue={setHours}
          options={[
            ["1", t("1 hour")],
            ["8", t("8 hours")],
            ["24", t("1 day")],
            ["168", t("7 days")],
            ["", t("until it is removed")],
          ]}
        />
        <Button onClick={add}>{t("Mute")}</Button>
      </div>
    </fieldset>
  );
}
