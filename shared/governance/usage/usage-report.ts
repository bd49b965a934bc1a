import type { RuleFindings, UsageDimension, UsageRow } from "../../api/governance/usage.ts";
import type { CountedUsage } from "./usage-store.ts";

/** Usage of one combination of user, key, version of a persona and model on one day. */
interface DailyUsage {
  readonly day: string;
  readonly user_id: string | null;
  readonly key_id: string | null;
  readonly persona_id: string | null;
  readonly persona_version: number | null;
  readonly model: string;
  readonly requests: number;
  /** Number of requests that are chat answers. */
  readonly runs: number;
  readonly duration_ms: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  /** Millionths of a US dollar. */
  readonly cost_micro_usd: number;
}

/** Price of a GB-second of Lambda in US dollars, and memory of the answering functions in GB. */
const [USD_PER_GB_SECOND, MEMORY_GB] = [0.0000133334, 0.25];

/** AWS charges in US dollars for a chat answer and for another reply, without the duration of the Lambda function. */
const [USD_PER_RUN, USD_PER_COMPLETION] = [0.0000163, 0.0000141];

/**
 * Estimates the AWS charges for replies in US dollars: a fixed part for each, as `npm run cost` measures it, and the
 * duration of the Lambda functions. The page on costs states the method and its error.
 */
function estimateAwsCost(sumOf: (toAmount: (record: DailyUsage) => number) => number): number {
  const runs = sumOf((record) => record.runs);
  const completions = sumOf((record) => record.requests) - runs;
  const seconds = sumOf((record) => record.duration_ms) / 1_000;
  const usd = runs * USD_PER_RUN + completions * USD_PER_COMPLETION + seconds * MEMORY_GB * USD_PER_GB_SECOND;
  return Math.round(usd * 1e8) / 1e8;
}

const fieldNames = {
  day: "day",
  user: "user_id",
  key: "key_id",
  persona: "persona_id",
  persona_version: "persona_version",
  model: "model",
} as const;

/** Costs in a report: those of models only, or also those of AWS. */
type CostScope = "models" | "full";

function sumAmounts(records: readonly DailyUsage[], cost: CostScope) {
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
    ...(cost === "full" && { aws_cost_usd: estimateAwsCost(sumOf) }),
  };
}

/** Returns the number of replies in which each guardrail rule found something, most frequent rule first. */
export function sumFindings(records: readonly Pick<CountedUsage, "findings">[]): RuleFindings[] {
  const counts = new Map<string, number>();
  for (const { findings } of records) {
    for (const [rule, replies] of Object.entries(findings)) counts.set(rule, (counts.get(rule) ?? 0) + replies);
  }
  return Array.from(counts, ([rule, replies]) => ({ rule, replies })).sort(
    (one, other) => other.replies - one.replies || (one.rule < other.rule ? -1 : 1),
  );
}

/** Returns the field names of a report's rows, in order, for the header of a CSV file. */
export function getReportFields(dimensions: readonly UsageDimension[], cost: CostScope): string[] {
  return [...dimensions.map((dimension) => fieldNames[dimension]), ...Object.keys(sumAmounts([], cost))];
}

/**
 * Sums usage for each combination of the dimensions, sorted, and in total. Records with findings but without requests
 * and costs are left out.
 */
export function buildUsageReport(
  records: readonly DailyUsage[],
  dimensions: readonly UsageDimension[],
  cost: CostScope = "models",
) {
  const fields = dimensions.map((dimension) => fieldNames[dimension]);
  const used = records.filter(({ requests, cost_micro_usd }) => requests > 0 || cost_micro_usd !== 0);
  const groups = Map.groupBy(used, (record) => JSON.stringify(fields.map((field) => record[field])));
  const usage = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]): UsageRow => {
      const [first] = group as [DailyUsage];
      return { ...Object.fromEntries(fields.map((field) => [field, first[field]])), ...sumAmounts(group, cost) };
    });
  return { usage, totals: sumAmounts(used, cost) };
}
