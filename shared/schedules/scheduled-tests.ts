import type { TestRun } from "../api/evaluations/test-runs.ts";
import type { ScheduleRunRef } from "../api/schedules/schedule-run-ref.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { prepareTestRun } from "../evaluations/runs/prepare-run.ts";
import { newTestRunWrites } from "../evaluations/runs/test-run-store.ts";
import { authorizeTestSet } from "../evaluations/test-set-store.ts";
import { timestamp } from "../lib/clock.ts";
import { authorizePersonaManagement } from "../personas/persona-store.ts";
import { endAttempt } from "./end-run.ts";
import { findScheduleRun, type StoredScheduleRun, scheduleRunChange } from "./schedule-run-store.ts";

/** Number of answers that a scheduled run generates at the same time. */
const CONCURRENCY = 4;

/**
 * Starts a run of a test set with the version that everybody gets.
 * @throws ServiceError `not_found` or `forbidden` if the set was deleted or the owner may not change its persona; TransactionFailed if another
 * function was faster
 */
export async function startTests(principal: UserPrincipal, setId: string, run: StoredScheduleRun): Promise<void> {
  const set = await authorizeTestSet(principal, setId);
  const { version } = await authorizePersonaManagement(principal, set.persona_id);
  const { schedule_id, scheduled_at, attempts } = run;
  const tests = await prepareTestRun(principal, set, {
    columns: [{ version, model: null }],
    ...{ passages: "recorded", tools: "recorded", concurrency: CONCURRENCY, max_cost_usd: null, judge_model: null },
    schedule_run: { schedule_id, scheduled_at },
  });
  const started = { status: "running", attempts: attempts + 1, test_run_id: tests.id } as const;
  await tenantTable(principal).transact([
    scheduleRunChange(principal, run, { ...started, started_at: run.started_at ?? timestamp() }),
    ...newTestRunWrites(principal, tests),
  ]);
}

/** Ends the attempt of a scheduled run whose run of a test set has ended. Idempotent. */
export async function finishScheduledTests(
  scope: TenantScope,
  ref: ScheduleRunRef,
  { id, status, reason }: Pick<TestRun, "id" | "status" | "reason">,
): Promise<void> {
  const run = await findScheduleRun(scope, ref);
  if (run?.status !== "running" || run.test_run_id !== id) return;
  if (status === "completed") return endAttempt(scope, run, { status: "completed", reason: null });
  await endAttempt(scope, run, { status: "failed", reason: reason ?? status });
}
