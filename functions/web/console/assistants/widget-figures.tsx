import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatCompact, formatCost } from "../lib/format.ts";
import { getLocale, t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { DayChart } from "../ui/day-chart.tsx";
import { SelectField } from "../ui/fields.tsx";
import { Empty, ResourceStatus } from "../ui/status.tsx";

type Statistics = ReplyOf<"/v1/tenant/embed-keys/{id}/statistics", "get">;
type Figures = Statistics["totals"];

const DAY_MS = 86_400_000;

/** Formats a wait in seconds or minutes. */
const formatWait = (seconds: number) =>
  new Intl.NumberFormat(getLocale(), {
    ...{ style: "unit", unitDisplay: "short", maximumFractionDigits: seconds < 600 ? 1 : 0 },
    unit: seconds < 60 ? "second" : "minute",
  }).format(seconds < 60 ? seconds : seconds / 60);

const formatUtcDay = (day: string) =>
  new Intl.DateTimeFormat(getLocale(), { dateStyle: "medium", timeZone: "UTC" }).format(new Date(day));

interface Measure {
  readonly label: string;
  /** Value of a day or of all days; null if there is none. */
  readonly read: (figures: Figures) => number | null;
  readonly format: (value: number) => string;
}

/** Returns what is measured, in the order in which it is shown. */
const getMeasures = (): readonly Measure[] => [
  { label: t("Opened"), read: ({ opens }) => opens, format: formatCompact },
  { label: t("Chats"), read: ({ chats }) => chats, format: formatCompact },
  { label: t("Resolved alone"), read: ({ resolved_alone }) => resolved_alone, format: formatCompact },
  { label: t("Handed over"), read: ({ handed_over }) => handed_over, format: formatCompact },
  { label: t("Waiting time"), read: ({ waiting_seconds }) => waiting_seconds, format: formatWait },
  { label: t("Unanswered"), read: ({ unanswered }) => unanswered, format: formatCompact },
  { label: t("Rated good"), read: ({ ratings }) => ratings.up, format: formatCompact },
  { label: t("Rated bad"), read: ({ ratings }) => ratings.down, format: formatCompact },
  { label: t("Cost"), read: ({ cost_usd }) => cost_usd, format: formatCost },
];

const formatValue = ({ read, format }: Measure, figures: Figures) => {
  const value = read(figures);
  return value === null ? "–" : format(value);
};

/** Figures of the visitors of a website, in total and by day. */
export function WidgetFigures({ keyId }: { readonly keyId: string }) {
  const [days, setDays] = useState<"7" | "30">("30");
  const [chosen, setChosen] = useState("1");
  const from = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
  const statistics = useResource(`visitors:${keyId}:statistics:${from}`, () =>
    api.GET("/v1/tenant/embed-keys/{id}/statistics", { params: { path: { id: keyId }, query: { from } } }),
  );
  const measures = getMeasures();
  const measure = measures[Number(chosen)] as Measure;
  const { value } = statistics;
  const columns: Column<Statistics["days"][number]>[] = [
    { label: t("Day"), className: "nowrap", cell: ({ day }) => formatUtcDay(day), sortBy: ({ day }) => day },
    ...measures.map((each) => ({
      label: each.label,
      className: "number",
      cell: (row: Figures) => formatValue(each, row),
      sortBy: (row: Figures) => each.read(row) ?? -1,
    })),
  ];
  return (
    <>
      <div class="filters">
        <SelectField
          label={t("Period")}
          value={days}
          onValue={setDays}
          options={[
            ["7", t("7 days")],
            ["30", t("30 days")],
          ]}
        />
        <SelectField
          label={t("Measure")}
          value={chosen}
          onValue={setChosen}
          options={measures.map(({ label }, index) => [String(index), label] as const)}
        />
      </div>
      <ResourceStatus resource={statistics} lines={8} />
      {value && value.totals.opens === 0 && value.totals.cost_usd === 0 && (
        <Empty icon="chart" title={t("No visitors in this period")}>
          {t("Figures appear here after the first visitor opens the chat. They remain when sessions are deleted.")}
        </Empty>
      )}
      {value && (value.totals.opens > 0 || value.totals.cost_usd > 0) && (
        <>
          <dl class="stats">
            {measures.map((each) => (
              <div key={each.label} class="card stat">
                <dt>{each.label}</dt>
                <dd>{formatValue(each, value.totals)}</dd>
              </div>
            ))}
          </dl>
          <section class="card stack" aria-label={t("{measure} by day", { measure: measure.label })}>
            <h2>{t("{measure} by day", { measure: measure.label })}</h2>
            <DayChart
              series={{
                label: measure.label,
                days: value.days.map(({ day }) => day),
                values: value.days.map((day) => measure.read(day) ?? 0),
              }}
              total={measure.read(value.totals) ?? 0}
              format={measure.format}
            />
          </section>
          <p class="muted small">
            {t(
              "Days are in UTC. A chat counts on the day on which it started, a wait on the day on which a person came. Resolved alone are chats for which no person was asked for.",
            )}
          </p>
          <DataTable rows={value.days.toReversed()} keyOf={({ day }) => day} columns={columns} />
        </>
      )}
    </>
  );
}
