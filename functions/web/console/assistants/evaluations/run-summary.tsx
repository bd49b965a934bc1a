import type { TestRun } from "../../../../../shared/api/evaluations/test-runs.ts";
import { formatCost, formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { formatPoints, formatProbability, formatSeconds, formatShare, nameColumn } from "./run-texts.ts";

/** Scores, durations, tokens and costs by column. */
function ColumnTable({ run: { columns, summary } }: { readonly run: TestRun }) {
  const rows = (summary ?? []).flatMap((figures, index) => {
    const column = columns[index];
    return column ? [{ ...figures, index, name: nameColumn(column) }] : [];
  });
  return (
    <DataTable
      rows={rows}
      keyOf={({ index }) => String(index)}
      columns={[
        { label: t("Answered by"), className: "text", cell: ({ name }) => <span class="break">{name}</span> },
        {
          label: t("Score"),
          className: "number",
          sortBy: ({ mean_score }) => mean_score,
          cell: ({ mean_score }) => formatShare(mean_score),
        },
        {
          label: t("Passed"),
          className: "number",
          sortBy: ({ passed }) => passed,
          cell: ({ passed, results }) =>
            t("{done} of {total}", { done: formatNumber(passed), total: formatNumber(results) }),
        },
        {
          label: t("Errors"),
          className: "number",
          sortBy: ({ failed }) => failed,
          cell: ({ failed }) => formatNumber(failed),
        },
        {
          label: t("Duration"),
          className: "number",
          sortBy: ({ mean_latency_ms }) => mean_latency_ms,
          cell: ({ mean_latency_ms }) => formatSeconds(mean_latency_ms),
        },
        {
          label: t("Tokens"),
          className: "number",
          sortBy: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
          cell: ({ input_tokens, output_tokens }) => formatNumber(input_tokens + output_tokens),
        },
        {
          label: t("Cost"),
          className: "number",
          sortBy: ({ cost_usd }) => cost_usd,
          cell: ({ cost_usd }) => formatCost(cost_usd),
        },
      ]}
    />
  );
}

/** Comparison of each other column with the first one. */
function ComparisonTable({ run: { columns, comparisons } }: { readonly run: TestRun }) {
  const rows = (comparisons ?? []).flatMap((comparison) => {
    const column = columns[comparison.column];
    return column ? [{ ...comparison, name: nameColumn(column) }] : [];
  });
  const [first] = columns;
  if (rows.length === 0 || !first) return null;
  return (
    <section class="section">
      <h2>{t("Compared with {name}", { name: nameColumn(first) })}</h2>
      <DataTable
        rows={rows}
        keyOf={({ column }) => String(column)}
        columns={[
          { label: t("Answered by"), className: "text", cell: ({ name }) => <span class="break">{name}</span> },
          { label: t("Better"), className: "number", cell: ({ better }) => formatNumber(better) },
          { label: t("Worse"), className: "number", cell: ({ worse }) => formatNumber(worse) },
          { label: t("Same"), className: "number", cell: ({ same }) => formatNumber(same) },
          {
            label: t("Difference in points (95 %)"),
            className: "number",
            cell: ({ difference, interval: { low, high } }) => (
              <span class="nowrap" dir="ltr">
                {formatPoints(difference)}{" "}
                <span class="muted">
                  [{formatPoints(low)}, {formatPoints(high)}]
                </span>
              </span>
            ),
          },
          {
            label: t("p value"),
            className: "number",
            cell: ({ p_value }) => (
              <span class="nowrap" dir="ltr">
                {formatProbability(p_value)}
              </span>
            ),
          },
        ]}
      />
      <p class="muted small">
        {t(
          "Items of which the score is higher, lower or the same; the mean difference of the scores with its bootstrap interval; and the probability of so uneven counts by chance (sign test).",
        )}
      </p>
    </section>
  );
}

/** Sums and comparisons of the columns of a run, when it has ended. */
export function RunSummary({ run }: { readonly run: TestRun }) {
  if (run.summary === null) return <p class="muted">{t("Sums and comparisons are shown when the run has ended.")}</p>;
  return (
    <>
      <ColumnTable run={run} />
      <ComparisonTable run={run} />
    </>
  );
}
