import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { compareScores } from "../scoring/compare-scores.ts";
import { scanFigures } from "./result-store.ts";
import { listTestRuns, type StoredTestRun, type TestDrop } from "./test-run-store.ts";

/** Least mean difference of scores that counts as a drop. */
const MIN_DROP = 0.05;

/** Number of runs of a set, latest first, among which the run before is looked for. */
const MAX_RUNS = 50;

async function readScores(scope: TenantScope, runId: string): Promise<Map<string, number>> {
  const scores = new Map<string, number>();
  for await (const results of scanFigures(scope, runId)) {
    for (const { item_id, score } of results) scores.set(item_id, score);
  }
  return scores;
}

/**
 * Returns how much worse the answers of a scheduled run, which has one column, are than those of the run before of its schedule, by the items of both.
 * @returns undefined without such a run, or if the difference is small or can be chance
 */
export async function findDrop(
  scope: TenantScope,
  { id, set_id, schedule_run }: StoredTestRun,
  mean_score: number,
): Promise<TestDrop | undefined> {
  if (!schedule_run) return undefined;
  const { entries } = await listTestRuns(scope, set_id, { limit: MAX_RUNS });
  const previous = entries.find(
    (run) => run.id < id && run.status === "completed" && run.schedule_run?.schedule_id === schedule_run.schedule_id,
  );
  const [column] = previous?.columns ?? [];
  if (!previous || !column) return undefined;
  const [scores, before] = await Promise.all([readScores(scope, id), readScores(scope, previous.id)]);
  const pairs = [...before].flatMap(([item, score]) => {
    const current = scores.get(item);
    return current === undefined ? [] : [[score, current] as const];
  });
  const comparison = compareScores(pairs);
  if (!comparison || comparison.difference > -MIN_DROP || comparison.interval[1] >= 0) return undefined;
  const [low, high] = comparison.interval;
  const { difference } = comparison;
  return {
    previous_run_id: previous.id,
    previous_version: column.version,
    mean_score,
    difference,
    interval: { low, high },
  };
}
