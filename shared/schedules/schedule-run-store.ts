import * as v from "valibot";
import type { ScheduleRunRef } from "../api/schedules/schedule-run-ref.ts";
import { ScheduleRun } from "../api/schedules/schedules.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, type Write } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";

/** Time for which runs are listed. */
const RETENTION_SECONDS = 90 * 86_400;

const StoredScheduleRun = v.object({
  ...ScheduleRun.entries,
  schedule_id: v.string(),
  /** Owner of the schedule, as whom the question is asked. */
  owner_id: v.string(),
});
export type StoredScheduleRun = v.InferOutput<typeof StoredScheduleRun>;

const readScheduleRun = itemReader(StoredScheduleRun);

const toKey = ({ tenantId }: TenantScope, { schedule_id, scheduled_at }: ScheduleRunRef) =>
  keys.scheduleRun(tenantId, schedule_id, scheduled_at);

/** Returns a run that is not started yet. */
export const newScheduleRun = (
  schedule: { readonly id: string; readonly owner_id: string },
  run: Pick<StoredScheduleRun, "scheduled_at" | "trigger" | "status">,
): StoredScheduleRun => ({
  ...{ schedule_id: schedule.id, owner_id: schedule.owner_id, ...run, attempts: 0, conversation_id: null },
  ...{ message_id: null, test_run_id: null, reason: null, started_at: null, ended_at: null },
});

/** Returns the write that stores a new run, which the rule `start-schedule-run` then starts. It fails if the time has one. */
export const newScheduleRunWrite = (scope: TenantScope, run: StoredScheduleRun): Write => ({
  put: {
    ...toKey(scope, run),
    discriminator: "schedule-run",
    timestamp: now(),
    ttl: expiresAfter(RETENTION_SECONDS),
    ...run,
  },
  condition: absent(),
});

/** Returns the write that changes a run, unless its state has changed since it was read. */
export const scheduleRunChange = (
  scope: TenantScope,
  { status, attempts, ...ref }: StoredScheduleRun,
  set: Partial<StoredScheduleRun>,
): Write => ({
  update: toKey(scope, ref),
  set: { ...set, timestamp: now() },
  condition: equals({ status, attempts }),
});

/** Returns a run, or undefined if it does not exist. */
export async function findScheduleRun(scope: TenantScope, ref: ScheduleRunRef): Promise<StoredScheduleRun | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readScheduleRun(item);
}

/** Returns a run as the API has it. */
export const toScheduleRun = (run: StoredScheduleRun): ScheduleRun => v.parse(ScheduleRun, run);

/**
 * Lists the runs of a schedule, the newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listScheduleRuns(
  scope: TenantScope,
  scheduleId: string,
  request: PageRequest,
): Promise<Page<StoredScheduleRun>> {
  const { pk } = keys.scheduleRun(scope.tenantId, scheduleId, "");
  const list = { list: "schedule-runs", filters: { schedule: scheduleId }, pk, descending: true, consistent: true };
  return mapPage(await listPage(scope, list, request), readScheduleRun);
}

/** Deletes the runs of a deleted schedule. Idempotent. */
export async function deleteScheduleRuns(scope: TenantScope, scheduleId: string): Promise<void> {
  const { pk } = keys.scheduleRun(scope.tenantId, scheduleId, "");
  for (;;) {
    const items = await tenantTable(scope).query({ pk, limit: SWEEP_BATCH_SIZE, attributes: ["id"] });
    await tenantTable(scope).deleteMany(items.map(({ pk: partition, sk }) => ({ pk: partition, sk })));
    if (items.length < SWEEP_BATCH_SIZE) return;
  }
}
