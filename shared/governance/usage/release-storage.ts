import { microBatch } from "../../changes/micro-batch.ts";
import type { Change } from "../../changes/processor.ts";
import { exists, TransactionFailed } from "../../dynamodb/table.ts";
import { scopeFromKey, type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { type StoredAmount, storageChangeWrite } from "../../tenancy/storage-store.ts";
import { countedMarkerWrite } from "./counted-store.ts";

/** Types of changes that free storage or correct the size of a file. */
export const storageChangeTypes = ["document-deleted", "attachment-updated", "attachment-deleted"];

/** Maximum number of changes in one transaction of 100 writes, which also writes the counters. */
const MAX_CHANGES = 99;

interface StorageChange extends StoredAmount {
  /** Id of the change in the stream. */
  readonly id: string;
  readonly tenantId: string;
}

/**
 * Returns the change of a tenant's storage, usually negative. Null if the size stays the same, or the
 * deletion was counted before.
 */
function toStorageChange({ id, type, before, after }: Change): StorageChange | null {
  if (!before || before.deleted) return null;
  const { tenantId } = scopeFromKey(String(before.pk));
  const size = Number(before.size);
  if (type === "document-deleted") return { id, tenantId, documents: -1, bytes: -size };
  const bytes = Number(after?.size ?? 0) - size;
  return bytes === 0 ? null : { id, tenantId, documents: 0, bytes };
}

/** Applies changes to the storage counters in one transaction, without those that were applied before. */
async function applyChanges(scope: TenantScope, changes: readonly StorageChange[]): Promise<void> {
  for (let pending = changes; pending.length > 0; ) {
    const sum = (unit: "documents" | "bytes") => pending.reduce((total, change) => total + change[unit], 0);
    const counter = {
      ...storageChangeWrite(scope, { documents: sum("documents"), bytes: sum("bytes") }),
      // The counters of a deleted tenant are gone.
      condition: exists(),
    };
    try {
      await tenantTable(scope).transact([
        ...pending.map(({ id }) => countedMarkerWrite(scope, `storage ${id}`)),
        counter,
      ]);
      return;
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      if (error.failures.at(-1)) return;
      pending = pending.filter((_, index) => error.failures[index] === null);
    }
  }
}

const applyInBatches = microBatch(async (changes: readonly StorageChange[]) => {
  for (const [tenantId, ofTenant] of Map.groupBy(changes, (change) => change.tenantId)) {
    const distinct = [...new Map(ofTenant.map((change) => [change.id, change])).values()];
    for (let start = 0; start < distinct.length; start += MAX_CHANGES) {
      await applyChanges({ tenantId }, distinct.slice(start, start + MAX_CHANGES));
    }
  }
});

/** Applies a change to the storage counters of its tenant exactly once, even if it is delivered repeatedly. */
export async function releaseStorage(change: Change): Promise<void> {
  const storageChange = toStorageChange(change);
  if (storageChange) await applyInBatches(storageChange);
}
