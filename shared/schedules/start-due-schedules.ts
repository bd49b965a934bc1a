import { type Item, TransactionFailed } from "../dynamodb/table.ts";
import { scopeFromKey, systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { newScheduleRun, newScheduleRunWrite } from "./schedule-run-store.ts";
import { duePartition, findNextRun, readSchedule, type StoredSchedule, scheduleChange } from "./schedule-store.ts";

/** Maximum number of schedules that one call starts. The next call starts the others. */
const MAX_DUE = 5_000;

/**
 * Records the run of a schedule that is due, and sets the next one. One transaction does both, so that each time gets
 * exactly one run. A time is missed if its grace period is over, or if a later one is due as well.
 * @returns the schedule with its next run, or null if another function was faster
 */
async function claimRun(scope: TenantScope, schedule: StoredSchedule, dueAt: string): Promise<StoredSchedule | null> {
  const next_run_at = findNextRun(schedule, Date.parse(dueAt));
  const isSuperseded = next_run_at !== null && next_run_at <= timestamp();
  const isLate = now() - Date.parse(dueAt) > schedule.grace_minutes * 60_000;
  const status = isSuperseded || isLate ? "missed" : "pending";
  const run = newScheduleRun(schedule, { scheduled_at: dueAt, trigger: "schedule", status });
  const change = scheduleChange(scope, schedule, { next_run_at });
  try {
    await tenantTable(scope).transact([change, newScheduleRunWrite(scope, run)]);
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error;
    if (error.failures[0]) return null;
    // The times of the schedule were changed by a function whose clock is behind, so that this time came again.
    await tenantTable(scope).write(change);
  }
  return { ...schedule, next_run_at };
}

async function startDueSchedule(item: Item): Promise<boolean> {
  const scope = scopeFromKey(item.pk);
  let schedule: StoredSchedule | null = null;
  try {
    schedule = readSchedule(item);
    for (;;) {
      const dueAt: string | null = schedule?.next_run_at ?? null;
      if (!schedule || dueAt === null || dueAt > timestamp()) return true;
      schedule = await claimRun(scope, schedule, dueAt);
    }
  } catch (error) {
    log.error("schedule not started", { tenant_id: scope.tenantId, schedule_id: schedule?.id, error });
    return false;
  }
}

/**
 * Records the runs that are due in all tenants; the rule `start-schedule-run` starts them. Concurrent and repeated calls are
 * harmless.
 * @throws Error if some could not be recorded, which the next call repeats
 */
export async function startDueSchedules(): Promise<void> {
  const due = await systemTable().query({
    index: "gsi1",
    pk: duePartition,
    between: ["0", `${timestamp()}~`],
    limit: MAX_DUE,
  });
  const started = await mapConcurrent(due, startDueSchedule);
  const failed = started.filter((isStarted) => !isStarted).length;
  if (failed > 0) throw new Error(`${failed} of ${due.length} schedules were not started`);
}
