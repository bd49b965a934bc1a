import type { TestSummary } from "../../api/evaluations/test-runs.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { compareScores } from "../scoring/compare-scores.ts";
import { scanFigures } from "./result-store.ts";
import type { StoredTestRun } from "./test-run-store.ts";

interface ColumnFigures {
  readonly scores: Map<string, number>;
  results: number;
  failed: number;
  passed: number;
  latency_ms: number;
  input_tokens: number;
  output_tokens: number;
  micro_usd: number;
}

const noFigures = (): ColumnFigures => ({
  scores: new Map(),
  ...{ results: 0, failed: 0, passed: 0, latency_ms: 0, input_tokens: 0, output_tokens: 0, micro_usd: 0 },
});

function toSummary({ scores, latency_ms, micro_usd, ...figures }: ColumnFigures): TestSummary {
  const count = Math.max(1, figures.results);
  const sum = [...scores.values()].reduce((total, score) => total + score, 0);
  return { ...figures, mean_score: sum / count, mean_latency_ms: latency_ms / count, cost_usd: micro_usd / 1e6 };
}

/** Reads the results of a run, and returns the summary of each column and the comparisons with the first one. */
export async function summarizeRun(scope: TenantScope, { id, columns }: StoredTestRun) {
  const figures = columns.map(noFigures);
  for await (const results of scanFigures(scope, id)) {
    for (const { item_id, column, score, error, duration_ms, usage, judge_usage } of results) {
      const own = figures[column];
      if (!own) continue;
      own.scores.set(item_id, score);
      own.results++;
      own.failed += error ? 1 : 0;
      own.passed += score === 1 ? 1 : 0;
      own.latency_ms += duration_ms;
      own.input_tokens += (usage?.input_tokens ?? 0) - (judge_usage?.input_tokens ?? 0);
      own.output_tokens += (usage?.output_tokens ?? 0) - (judge_usage?.output_tokens ?? 0);
      own.micro_usd += Math.round(((usage?.cost_usd ?? 0) - (judge_usage?.cost_usd ?? 0)) * 1e6);
    }
  }
  const [baseline = noFigures(), ...others] = figures;
  const comparisons = others.flatMap(({ scores }, index) => {
    const pairs = [...baseline.scores].flatMap(([item, score]) => {
      const other = scores.get(item);
      return other === undefined ? [] : [[score, other] as const];
    });
    const comparison = compareScores(pairs);
    if (!comparison) return [];
    const [low, high] = comparison.interval;
    return [{ column: index + 1, ...comparison, interval: { low, high } }];
  });
  return { summary: figures.map(toSummary), comparisons };
}
