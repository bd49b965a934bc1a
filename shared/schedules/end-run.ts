import type { ScheduleRunRef } from "../api/schedules/schedule-run-ref.ts";
import { findMessage } from "../conversations/message-store.ts";
import { TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { retry } from "../lib/retry.ts";
import { findScheduleRun, type StoredScheduleRun, scheduleRunChange } from "./schedule-run-store.ts";
import { findSchedule, type StoredSchedule, scheduleChange } from "./schedule-store.ts";

/** End of an attempt: `reason` is the code of an error, or names the obstacle. */
type Outcome = Pick<StoredScheduleRun, "status" | "reason">;

/** Codes of errors after which another attempt can succeed. */
const temporaryErrors: ReadonlySet<string | null> = new Set([
  "model_error",
  "model_overloaded",
  "rate_limited",
  "unavailable",
  "internal_error",
  "timeout",
]);

/** Maximum number of attempts if other runs of the schedule start or end concurrently. */
const MAX_ATTEMPTS = 8;

/** Returns what a schedule records about the end of a run: failures in a row, after which it is paused. */
function countFailures(schedule: StoredSchedule, { status }: Outcome) {
  const failures = status === "completed" ? 0 : schedule.failures + 1;
  const { next_run_at, pause_after, enabled } = schedule;
  if (!enabled || failures < pause_after) return failures === schedule.failures ? null : { failures, next_run_at };
  const paused = { enabled: false, disabled_reason: "failures", next_run_at: null, updated_at: timestamp() };
  return { failures, ...paused };
}

/**
 * Ends an attempt: starts another one after a temporary failure, or records the end of the run and counts failures in a row.
 * Changes nothing if the run has changed since it was read.
 */
export async function endAttempt(scope: TenantScope, run: StoredScheduleRun, outcome: Outcome): Promise<void> {
  // An attempt that could not start counts as well.
  const attempts = run.status === "pending" ? run.attempts + 1 : run.attempts;
  const end = async () => {
    const schedule = await findSchedule(scope, { id: run.schedule_id, owner_id: run.owner_id });
    const canRetry = schedule !== undefined && temporaryErrors.has(outcome.reason) && attempts <= schedule.max_retries;
    if (outcome.status === "failed" && canRetry) {
      const retried = { status: "pending", reason: outcome.reason, attempts } as const;
      return tenantTable(scope).transact([scheduleRunChange(scope, run, retried)]);
    }
    const counted = schedule && countFailures(schedule, outcome);
    await tenantTable(scope).transact([
      scheduleRunChange(scope, run, { ...outcome, attempts, ended_at: timestamp() }),
      ...(schedule && counted ? [scheduleChange(scope, schedule, counted)] : []),
    ]);
  };
  const isConcurrent = (error: unknown) => error instanceof TransactionFailed && !error.failures[0];
  try {
    await retry(end, { maxAttempts: MAX_ATTEMPTS, isRetryable: isConcurrent });
  } catch (error) {
    if (!(error instanceof TransactionFailed && error.failures[0])) throw error;
  }
}

/** Ends the attempt of a run whose answer is stored. Idempotent. */
export async function finishScheduledRun(scope: TenantScope, ref: ScheduleRunRef, messageId: string): Promise<void> {
  const run = await findScheduleRun(scope, ref);
  if (run?.status !== "running" || run.message_id !== messageId || run.conversation_id === null) return;
  const answer = await findMessage(scope, run.conversation_id, messageId);
  if (!answer || answer.status === "streaming") return;
  if (answer.status === "complete") return endAttempt(scope, run, { status: "completed", reason: null });
  const reason = answer.error?.code ?? answer.status;
  await endAttempt(scope, run, { status: reason === "approval_required" ? "needs_approval" : "failed", reason });
}
