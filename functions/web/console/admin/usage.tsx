import { useState } from "preact/hooks";
import { toIdentityValue } from "../../../../shared/api/user-ids.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatCompact, formatCost, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { usePeople } from "../lib/people/people.ts";
import { saveCsv } from "../lib/save-file.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { DayChart } from "../ui/day-chart.tsx";
import { SelectField } from "../ui/fields.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Empty, ResourceStatus } from "../ui/status.tsx";

type Row = ReplyOf<"/v1/usage", "get">["usage"][number];
type Metric = "total_tokens" | "cost_usd" | "requests";
type Dimension = "user" | "key" | "persona" | "persona_version" | "model";

const DAY_MS = 86_400_000;
const today = () => new Date().toISOString().slice(0, 10);
const daysBefore = (day: string, count: number) =>
  new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10);

type Totals = ReplyOf<"/v1/usage", "get">["totals"];

const tokensPerAnswer = ({ total_tokens, requests }: Totals) =>
  requests > 0 ? Math.round(total_tokens / requests) : 0;

/** Change of a value since the period before. */
function Comparison({ value, before }: { readonly value: number; readonly before: number }) {
  if (before === 0) return <dd class="small muted">{t("none in the period before")}</dd>;
  const percent = Math.round((value / before - 1) * 100);
  return (
    <dd class="small muted">
      {t("{change} % since the period before", { change: `${percent > 0 ? "+" : ""}${percent}` })}
    </dd>
  );
}

/** Returns the days from `from` to `to`, both inclusive. */
function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  return Array.from({ length: count + 1 }, (_, index) => daysBefore(from, -index));
}

/** Tokens and cost by day, user, key, persona, version of a persona and model. */
export function UsageView() {
  const [days, setDays] = useState<"7" | "30" | "90">("30");
  const [metric, setMetric] = useState<Metric>("total_tokens");
  const [dimension, setDimension] = useState<Dimension>("model");
  const to = today();
  const from = daysBefore(to, Number(days) - 1);
  const load = (group_by: string) => () => api.GET("/v1/usage", { params: { query: { from, to, group_by } } });
  const byDay = useResource(`usage:${from}:${to}:day`, load("day"));
  const byDimension = useResource(
    `usage:${from}:${to}:${dimension}`,
    load(dimension === "persona_version" ? "persona,persona_version" : dimension),
  );
  // The same number of days before, for comparison.
  const previousTo = daysBefore(from, 1);
  const previousFrom = daysBefore(from, Number(days));
  const previous = useResource(`usage:${previousFrom}:${previousTo}:day`, () =>
    api.GET("/v1/usage", { params: { query: { from: previousFrom, to: previousTo, group_by: "day" } } }),
  );
  const personas = usePersonas();
  const people = usePeople();
  const keys = useResource("api-keys", () => api.GET("/v1/tenant/api-keys"));
  const websites = useResource(can("embed.manage") ? "embed-keys" : null, () => api.GET("/v1/tenant/embed-keys"));
  const totals = byDay.value?.totals;
  const metrics: Record<Metric, { label: string; format: (value: number) => string }> = {
    total_tokens: { label: t("Tokens"), format: formatCompact },
    cost_usd: { label: t("Cost"), format: formatCost },
    requests: { label: t("Answers"), format: formatCompact },
  };
  const { label, format } = metrics[metric];
  const values = new Map((byDay.value?.usage ?? []).map((row) => [row.day ?? "", row[metric]]));
  const range = daysBetween(from, to);
  const nameOf = (row: Row): string => {
    if (dimension === "persona" || dimension === "persona_version") {
      const persona = personas.value?.personas.find(({ id }) => id === row.persona_id);
      const name = persona?.name ?? (row.persona_id ? t("Another persona") : t("Assistant"));
      return row.persona_version == null ? name : t("{name}, version {number}", { name, number: row.persona_version });
    }
    if (dimension === "user") return row.user_id ? people.nameOf(row.user_id) : t("API keys and visitors");
    if (dimension === "key") {
      const key = keys.value?.keys.find(({ id }) => id === row.key_id);
      const website = websites.value?.keys.find(({ id }) => id === row.key_id)?.name;
      const name =
        website ?? (key && [key.description, key.key_hint && `…${key.key_hint}`].filter(Boolean).join(" · "));
      return name || (row.key_id ? t("Another key") : t("Console and applications"));
    }
    return row.model ?? "";
  };
  const idOf = (row: Row) =>
    (row.persona_version == null ? row.persona_id : `${row.persona_id} ${row.persona_version}`) ??
    (row.user_id && toIdentityValue(row.user_id)) ??
    row.key_id ??
    row.model ??
    "";
  const rows = (byDimension.value?.usage ?? []).toSorted((a, b) => b[metric] - a[metric]).slice(0, 50);
  const largest = Math.max(...rows.map((row) => row[metric]), Number.EPSILON);
  return (
    <PageLayout
      title={t("Usage and cost")}
      intro={t("Recorded within seconds of each answer, and kept when conversations are deleted.")}
      actions={
        <Button
          icon="download"
          onClick={() => {
            const query = new URLSearchParams({ from, to, group_by: `day,${dimension}` });
            return saveCsv(`usage-${from}-${to}.csv`, `/v1/usage?${query}`);
          }}
        >
          CSV
        </Button>
      }
    >
      <div class="filters">
        <SelectField
          label={t("Period")}
          value={days}
          onValue={setDays}
          options={[
            ["7", t("7 days")],
            ["30", t("30 days")],
            ["90", t("90 days")],
          ]}
        />
        <SelectField
          label={t("Measure")}
          value={metric}
          onValue={setMetric}
          options={(Object.keys(metrics) as Metric[]).map((each) => [each, metrics[each].label] as const)}
        />
        <SelectField
          label={t("Divided by")}
          value={dimension}
          onValue={setDimension}
          options={[
            ["model", t("Model")],
            ["user", t("User")],
            ["key", t("Key")],
            ["persona", t("Persona")],
            ["persona_version", t("Version of a persona")],
          ]}
        />
      </div>
      <ResourceStatus resource={byDay} lines={8} />
      {totals && totals.requests === 0 && (
        <Empty icon="chart" title={t("No usage in this period")}>
          {t("Tokens and cost appear here after the first answer.")}
        </Empty>
      )}
      {totals && totals.requests > 0 && (
        <>
          <dl class="stats">
            {(
              [
                [t("Answers"), formatNumber, ({ requests }: Totals) => requests],
                [t("Tokens"), formatCompact, ({ total_tokens }: Totals) => total_tokens],
                [t("Cost"), formatCost, ({ cost_usd }: Totals) => cost_usd],
                [t("Tokens per answer"), formatNumber, tokensPerAnswer],
              ] as const
            ).map(([name, formatValue, read]) => (
              <div key={name} class="card stat">
                <dt>{name}</dt>
                <dd>{formatValue(read(totals))}</dd>
                {previous.value && <Comparison value={read(totals)} before={read(previous.value.totals)} />}
              </div>
            ))}
          </dl>
          <section class="card stack" aria-label={t("{measure} by day", { measure: label })}>
            <h2>{t("{measure} by day", { measure: label })}</h2>
            <DayChart
              series={{ label, days: range, values: range.map((day) => values.get(day) ?? 0) }}
              format={format}
            />
          </section>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <div class="table-wrap" tabIndex={0} role="region" aria-label={label}>
            <table class="data">
              <thead>
                <tr>
                  <th scope="col">{t("Name")}</th>
                  <th scope="col">{label}</th>
                  <th scope="col" class="number">
                    {t("Answers")}
                  </th>
                  <th scope="col" class="number">
                    {t("Cost")}
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={idOf(row)}>
                    <td title={idOf(row)}>{nameOf(row)}</td>
                    <td>
                      <span class="bar-cell">
                        <span class="progress" aria-hidden="true">
                          <div style={{ width: `${(row[metric] / largest) * 100}%` }} />
                        </span>
                        {format(row[metric])}
                      </span>
                    </td>
                    <td class="number">{formatNumber(row.requests)}</td>
                    <td class="number">{formatCost(row.cost_usd)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </PageLayout>
  );
}
