import * as v from "valibot";
import { DataDeletion } from "../api/governance/data-deletions.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { requireItem } from "../dynamodb/required-item.ts";
import { equals, exists, type Item, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";

/** Prefix of attributes that count erased resources by kind. Separate attributes can be incremented atomically. */
const COUNTER_PREFIX = "deleted_";

export function newDeletion(userId: string, requestedBy: string, successorId: string | null = null): DataDeletion {
  return {
    id: newId(),
    user_id: userId,
    successor_id: successorId,
    requested_by: requestedBy,
    status: "running",
    counts: {},
    requested_at: timestamp(),
    completed_at: null,
  };
}

/** Returns the write that stores a new data deletion, upon which the rule `delete-data` starts the job. */
export function newDeletionWrite(scope: TenantScope, { counts: _, ...deletion }: DataDeletion): Write {
  return {
    put: {
      ...keys.deletion(scope.tenantId, deletion.id),
      discriminator: "deletion",
      timestamp: now(),
      ...deletion,
    },
  };
}

const readStoredDeletion = itemReader(v.omit(DataDeletion, ["counts"]));

function readDeletion(item: Item): DataDeletion {
  const counters = Object.entries(item).filter(([name]) => name.startsWith(COUNTER_PREFIX));
  return {
    ...readStoredDeletion(item),
    counts: Object.fromEntries(counters.map(([name, count]) => [name.slice(COUNTER_PREFIX.length), Number(count)])),
  };
}

/** @throws ServiceError `not_found` */
export async function getDeletion(scope: TenantScope, id: string): Promise<DataDeletion> {
  return readDeletion(await requireItem(scope, keys.deletion(scope.tenantId, id)));
}

/**
 * Returns the write that counts erased resources. It belongs in the transaction that erases them, so that the count is
 * exact.
 */
export function countErasureWrite(scope: TenantScope, id: string, counts: Readonly<Record<string, number>>): Write {
  return {
    update: keys.deletion(scope.tenantId, id),
    add: Object.fromEntries(Object.entries(counts).map(([kind, count]) => [COUNTER_PREFIX + kind, count])),
    condition: exists(),
  };
}

export async function completeDeletion(scope: TenantScope, id: string): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.deletion(scope.tenantId, id),
      set: { status: "completed", completed_at: timestamp(), timestamp: now() },
      condition: equals({ status: "running" }),
    })
    .catch(ignoreConditionFailed);
}
