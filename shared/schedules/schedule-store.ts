import * as v from "valibot";
import {
  MAX_SCHEDULES_OF_TENANT,
  MAX_SCHEDULES_OF_USER,
  NEXT_TIMES,
  type Schedule,
  type ScheduleChanges,
  ScheduleFields,
  type ScheduleInput,
} from "../api/schedules/schedules.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { deleteExistingItem, requireItem } from "../dynamodb/required-item.ts";
import { allOf, ConditionFailed, equals, exists, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { retry } from "../lib/retry.ts";
import { nextTime, nextTimes, type Recurrence } from "./recurrence.ts";

const StoredSchedule = v.object({
  ...ScheduleFields.entries,
  /** Time of the next run, which is not started yet; null while there is none. */
  next_run_at: v.nullable(v.string()),
});
export type StoredSchedule = v.InferOutput<typeof StoredSchedule>;

export const readSchedule = itemReader(StoredSchedule);

type ScheduleRef = Pick<StoredSchedule, "id" | "owner_id">;

const toKey = ({ tenantId }: TenantScope, { owner_id, id }: ScheduleRef) => keys.schedule(tenantId, owner_id, id);

/** Partition of the index with the schedules of all tenants that have a next run. */
export const duePartition = indexKeys.dueSchedule("", "", "").gsi1pk;

/** Returns the first time of a schedule after a time; null if there is none or it is paused. */
export function findNextRun(schedule: Recurrence & Pick<StoredSchedule, "enabled">, afterMs: number): string | null {
  const time = schedule.enabled ? nextTime(schedule, afterMs) : null;
  return time === null ? null : timestamp(time);
}

/** Returns a schedule as the API has it. */
export function toSchedule({ next_run_at, ...schedule }: StoredSchedule): Schedule {
  const first = next_run_at === null ? [] : nextTimes(schedule, Date.parse(next_run_at) - 1, NEXT_TIMES);
  return { ...v.parse(ScheduleFields, schedule), next_times: first.map((time) => timestamp(time)) };
}

/** Removes the conversation of a schedule that creates one for each run. */
const withConversation = <Fields extends Pick<StoredSchedule, "conversation" | "conversation_id">>(fields: Fields) => ({
  ...fields,
  conversation_id: fields.conversation === "new" ? null : fields.conversation_id,
});

/** Returns a new schedule that is not stored yet. */
export function newSchedule(ownerId: string, fields: ScheduleInput): StoredSchedule {
  const at = timestamp();
  const action = { ...withConversation(fields), question: fields.question ?? "" };
  const schedule = { id: newId(), owner_id: ownerId, ...action, disabled_reason: null, failures: 0 };
  return { ...schedule, created_at: at, updated_at: at, next_run_at: findNextRun(schedule, now()) };
}

export function newScheduleWrite(scope: TenantScope, schedule: StoredSchedule): Write {
  const { id, next_run_at } = schedule;
  return {
    put: {
      ...toKey(scope, schedule),
      ...(next_run_at !== null && indexKeys.dueSchedule(scope.tenantId, id, next_run_at)),
      discriminator: "schedule",
      timestamp: now(),
      ...schedule,
    },
  };
}

/** Returns the write that changes a schedule and sets its next run, unless it was changed since it was read. */
export function scheduleChange(
  scope: TenantScope,
  before: StoredSchedule,
  changes: Partial<StoredSchedule> & Pick<StoredSchedule, "next_run_at">,
): Write {
  const { next_run_at } = changes;
  return {
    update: toKey(scope, before),
    set: {
      ...changes,
      ...(next_run_at !== null && indexKeys.dueSchedule(scope.tenantId, before.id, next_run_at)),
      timestamp: now(),
    },
    remove: next_run_at === null ? ["gsi1pk", "gsi1sk"] : [],
    condition: equals({ updated_at: before.updated_at, next_run_at: before.next_run_at }),
  };
}

/** Returns the write that stores the conversation that a schedule with the same one for all runs uses. */
export const conversationWrite = (scope: TenantScope, schedule: ScheduleRef, conversationId: string): Write => ({
  update: toKey(scope, schedule),
  set: { conversation_id: conversationId, timestamp: now() },
  condition: allOf([exists(), equals({ conversation_id: null })]),
});

/**
 * Requires that the user may have one more schedule.
 * @throws ServiceError `conflict`
 */
export async function requireRoom({ tenantId, userId }: UserScope): Promise<void> {
  const { pk, sk } = keys.schedule(tenantId, userId, "");
  const stored = await tenantTable({ tenantId }).query({ pk, limit: MAX_SCHEDULES_OF_TENANT, attributes: ["id"] });
  const ownCount = stored.filter((item) => item.sk.startsWith(sk)).length;
  if (ownCount >= MAX_SCHEDULES_OF_USER) {
    throw new ServiceError("conflict", `You have ${MAX_SCHEDULES_OF_USER} schedules, the most that a user can have.`);
  }
  if (stored.length >= MAX_SCHEDULES_OF_TENANT) {
    throw new ServiceError(
      "conflict",
      `Your organization has ${MAX_SCHEDULES_OF_TENANT} schedules, the most it can have.`,
    );
  }
}

/**
 * Returns a schedule of the user.
 * @throws ServiceError `not_found`
 */
export async function getSchedule(member: UserScope, id: string): Promise<StoredSchedule> {
  return readSchedule(await requireItem(member, keys.schedule(member.tenantId, member.userId, id)));
}

/** Returns a schedule, or undefined if it was deleted. */
export async function findSchedule(scope: TenantScope, ref: ScheduleRef): Promise<StoredSchedule | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readSchedule(item);
}

/**
 * Lists the user's schedules, the oldest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listSchedules(member: UserScope, request: PageRequest): Promise<Page<StoredSchedule>> {
  const { pk, sk: prefix } = keys.schedule(member.tenantId, member.userId, "");
  const list = { list: "schedules", filters: { user: member.userId }, pk, prefix, consistent: true };
  return mapPage(await listPage(member, list, request), readSchedule);
}

const recurrenceFields = ["cron", "time_zone", "skip_dates", "starts_at", "ends_at", "enabled"] as const;

/** Maximum number of attempts to change a schedule whose runs start or end concurrently. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a schedule. Other times, and those of a schedule that is enabled again, start from now.
 * @throws ServiceError `not_found`
 */
export async function updateSchedule(member: UserScope, id: string, changes: ScheduleChanges): Promise<StoredSchedule> {
  const update = async () => {
    const before = await getSchedule(member, id);
    const after = withConversation({ ...before, ...changes });
    const isMoved = recurrenceFields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
    const set = {
      ...changes,
      conversation_id: after.conversation_id,
      ...(changes.enabled && { disabled_reason: null, failures: 0 }),
      next_run_at: isMoved ? findNextRun(after, now()) : before.next_run_at,
      updated_at: timestamp(),
    };
    return readSchedule((await tenantTable(member).write(scheduleChange(member, before, set))) as Item);
  };
  const isRetryable = (error: unknown) => error instanceof ConditionFailed;
  return retry(update, { maxAttempts: MAX_ATTEMPTS, isRetryable });
}

/** @throws ServiceError `not_found` */
export async function deleteSchedule(member: UserScope, id: string): Promise<void> {
  await deleteExistingItem(member, keys.schedule(member.tenantId, member.userId, id));
}
