import type { DataDeletion } from "../../api/governance/data-deletions.ts";
import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, type Item, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";

/** Names of the attributes that count begin with this: so each is added to on its own. */
const counter = "deleted_";

/** A deletion that has just been asked for. */
export function newDeletion(userId: string, requestedBy: string): DataDeletion {
  return {
    id: newId(),
    user_id: userId,
    requested_by: requestedBy,
    status: "running",
    counts: {},
    requested_at: timestamp(),
    completed_at: null,
  };
}

/** The write that stores a fresh deletion; it is carried out by the change feed. */
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

function deletionOf(item: Item): DataDeletion {
  const counts = Object.entries(item).filter(([name]) => name.startsWith(counter));
  return {
    ...(item as unknown as DataDeletion),
    counts: Object.fromEntries(counts.map(([name, count]) => [name.slice(counter.length), Number(count)])),
  };
}

/** @throws ServiceError `not_found` */
export async function getDeletion(scope: TenantScope, id: string): Promise<DataDeletion> {
  const item = await tenantTable(scope).get(keys.deletion(scope.tenantId, id), { consistent: true });
  if (!item) throw notFound();
  return deletionOf(item);
}

/** The write that counts what is deleted in the same transaction, so that the receipt is right whatever happens. */
export function countedWrite(scope: TenantScope, id: string, counts: Readonly<Record<string, number>>): Write {
  return {
    update: keys.deletion(scope.tenantId, id),
    add: Object.fromEntries(Object.entries(counts).map(([kind, count]) => [counter + kind, count])),
    condition: { where: "attribute_exists(#pk)" },
  };
}

/** Notes that nothing is left to delete. */
export async function completeDeletion(scope: TenantScope, id: string): Promise<void> {
  try {
    await tenantTable(scope).write({
      update: keys.deletion(scope.tenantId, id),
      set: { status: "completed", completed_at: timestamp(), timestamp: now() },
      condition: { where: "#status = :running", values: { running: "running" } },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
