import type { PersonaGate } from "../../api/personas/persona.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { FailedThreshold, GateVerdict } from "../../personas/gate.ts";
import type { StoredPersona } from "../../personas/persona-store.ts";
import { listReadableResults } from "../runs/list-results.ts";
import { findScores } from "../runs/result-store.ts";
import { findTestRun, listTestRuns, type StoredTestRun } from "../runs/test-run-store.ts";
import { surveyItems } from "../test-item-store.ts";
import { findTestSet } from "../test-set-store.ts";

/** Number of runs of a set, latest first, among which one with the version is looked for. */
const MAX_RUNS = 50;

const MAX_ITEM_IDS = 20;

/** Difference that sums of floating-point numbers may have. */
const TOLERANCE = 1e-9;

const columnOf = ({ columns }: StoredTestRun, version: number) =>
  columns.findIndex((column) => column.version === version && column.model === null);

/** Lists the runs of a set in which a version answers with its own model, latest first. */
async function listRunsOf(
  scope: TenantScope,
  { gate_run }: StoredPersona,
  setId: string,
  version: number,
): Promise<StoredTestRun[]> {
  const [{ entries }, started] = await Promise.all([
    listTestRuns(scope, setId, { limit: MAX_RUNS }),
    gate_run?.version === version ? findTestRun(scope, gate_run.run_id) : undefined,
  ]);
  // The index may not have the latest state of the run that a publication started.
  const runs = started?.set_id === setId ? [started, ...entries.filter(({ id }) => id !== started.id)] : entries;
  return runs
    .filter((run) => columnOf(run, version) >= 0)
    .sort((one, other) => other.created_at.localeCompare(one.created_at));
}

/** Returns the thresholds that a run does not reach in a column. Without any result, these are all. */
function findFailed(run: StoredTestRun, column: number, gate: PersonaGate): FailedThreshold[] {
  const summary = run.summary?.[column];
  const hasResults = summary !== undefined && summary.results > 0;
  const [minimum, maximum] = [1, -1] as const;
  const measures = [
    ["min_score", summary?.mean_score, minimum],
    // Without a price of the model or of the judge, nothing is measured.
    [
      "max_cost_usd",
      run.estimate.cost_usd === null ? undefined : (summary?.cost_usd ?? 0) / (summary?.results ?? 1),
      maximum,
    ],
    ["max_latency_ms", summary?.mean_latency_ms, maximum],
  ] as const;
  return measures.flatMap(([threshold, value, direction]) => {
    const required = gate[threshold];
    const measured = hasResults && value !== undefined ? value : null;
    const isReached = required === null || (measured !== null && direction * (measured - required) >= -TOLERANCE);
    return isReached ? [] : [{ threshold, required, measured }];
  });
}

/** Returns the verdict on the results of a run that has ended; null if the version passes. */
async function judgeRun(
  principal: UserPrincipal,
  run: StoredTestRun,
  column: number,
  gate: PersonaGate,
): Promise<GateVerdict | null> {
  const scores = await findScores(principal, run.id, column, gate.required_item_ids);
  const missed = gate.required_item_ids.filter((id) => scores.get(id) !== 1);
  const failed = findFailed(run, column, gate);
  if (failed.length === 0 && missed.length === 0) return null;
  const filters = { column, outcome: "failed", limit: MAX_ITEM_IDS } as const;
  const { entries } = await listReadableResults(principal, run.id, filters);
  const ids = new Set([...missed, ...entries.map(({ item_id }) => item_id)]);
  return { reason: "failed", run_id: run.id, failed, item_ids: [...ids].slice(0, MAX_ITEM_IDS) };
}

/**
 * Judges a version by the latest run of the gate's test set that has completed and began after the last change of an item.
 * @returns null if the version passes; `pending` without a run if there is none, also none in progress
 */
export async function judgeVersion(
  principal: UserPrincipal,
  persona: StoredPersona,
  gate: PersonaGate,
  version: number,
): Promise<GateVerdict | null> {
  const { set_id } = gate;
  const verdict = { run_id: null, failed: [], item_ids: [] };
  if (!(await findTestSet(principal, set_id))) return { ...verdict, reason: "set_deleted" };
  const [runs, { items, changedAt }] = await Promise.all([
    listRunsOf(principal, persona, set_id, version),
    surveyItems(principal, set_id),
  ]);
  const current = runs.filter(({ created_at }) => created_at > changedAt);
  // A deleted item leaves no other trace.
  const completed = current.find(({ status, done, skipped }) => status === "completed" && done + skipped === items);
  if (completed) return judgeRun(principal, completed, columnOf(completed, version), gate);
  const running = current.find(({ status, is_canceled }) => status === "running" && !is_canceled);
  return { ...verdict, reason: "pending", run_id: running?.id ?? null };
}
