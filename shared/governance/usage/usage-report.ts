import type { RuleFindings, UsageDimension, UsageRow } from "../../api/governance/usage.ts";
import type { CountedUsage } from "./usage-store.ts";

/** Usage of one subject on one day. */
interface DailyUsage {
  readonly day: string;
  readonly user_id: string | null;
  readonly key_id: string | null;
  readonly persona_id: string | null;
  readonly model: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  /** Millionths of a US dollar. */
  readonly cost_micro_usd: number;
}

const fieldNames = { day: "day", user: "user_id", key: "key_id", persona: "persona_id", model: "model" } as const;

function sumAmounts(records: readonly DailyUsage[]) {
  const sumOf = (toAmount: (record: DailyUsage) => number) =>
    records.reduce((sum, record) => sum + toAmount(record), 0);
  const input_tokens = sumOf((record) => record.input_tokens);
  const output_tokens = sumOf((record) => record.output_tokens);
  return {
    requests: sumOf(({ requests }) => requests),
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    cost_usd: sumOf(({ cost_micro_usd }) => cost_micro_usd) / 1_000_000,
    cached_tokens: sumOf((record) => record.cached_tokens),
  };
}

/** Sums the replies in which a rule of the guardrail found something, the most frequent rule first. */
export function sumFindings(records: readonly Pick<CountedUsage, "findings">[]): RuleFindings[] {
  const counts = new Map<string, number>();
  for (const { findings } of records) {
    for (const [rule, replies] of Object.entries(findings)) counts.set(rule, (counts.get(rule) ?? 0) + replies);
  }
  return Array.from(counts, ([rule, replies]) => ({ rule, replies })).sort(
    (one, other) => other.replies - one.replies || (one.rule < other.rule ? -1 : 1),
  );
}

/** Returns the field names of a report's rows, in order. */
export function getReportFields(dimensions: readonly UsageDimension[]): string[] {
  return [...dimensions.map((dimension) => fieldNames[dimension]), ...Object.keys(sumAmounts([]))];
}

/** Sums usage by each combination of the dimensions, in sorted order, and in total. Records of findings alone are left out. */
export function buildUsageReport(records: readonly DailyUsage[], dimensions: readonly UsageDimension[]) {
  const fields = dimensions.map((dimension) => fieldNames[dimension]);
  const used = records.filter(({ requests }) => requests > 0);
  const groups = Map.groupBy(used, (record) => JSON.stringify(fields.map((field) => record[field])));
  const usage = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]): UsageRow => {
      const [first] = group as [DailyUsage];
      return { ...Object.fromEntries(fields.map((field) => [field, first[field]])), ...sumAmounts(group) };
    });
  return { usage, totals: sumAmounts(used) };
}
