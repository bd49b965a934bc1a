import type { UsageDimension, UsageRow } from "../../api/governance/usage.ts";

/** What was used by one subject in a day. */
interface Used {
  readonly day: string;
  readonly user_id: string | null;
  readonly key_id: string | null;
  readonly persona_id: string | null;
  readonly model: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Millionths of a US dollar. */
  readonly cost_micro_usd: number;
}

const fieldOf = { day: "day", user: "user_id", key: "key_id", persona: "persona_id", model: "model" } as const;

function amountsOf(records: readonly Used[]) {
  const total = (amount: (record: Used) => number) => records.reduce((sum, record) => sum + amount(record), 0);
  const [input_tokens, output_tokens] = [total((used) => used.input_tokens), total((used) => used.output_tokens)];
  return {
    requests: total((used) => used.requests),
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    cost_usd: total((used) => used.cost_micro_usd) / 1_000_000,
  };
}

/** The fields of a report's rows, in their order. */
export function usageFields(dimensions: readonly UsageDimension[]): string[] {
  return [...dimensions.map((dimension) => fieldOf[dimension]), ...Object.keys(amountsOf([]))];
}

/** Sums of what was used, for each combination of the named dimensions, in their order, and altogether. */
export function usageReport(records: readonly Used[], dimensions: readonly UsageDimension[]) {
  const fields = dimensions.map((dimension) => fieldOf[dimension]);
  const groups = Map.groupBy(records, (record) => JSON.stringify(fields.map((field) => record[field])));
  const usage = [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, group]): UsageRow => {
      const [first] = group as [Used];
      return { ...Object.fromEntries(fields.map((field) => [field, first[field]])), ...amountsOf(group) };
    });
  return { usage, totals: amountsOf(records) };
}
