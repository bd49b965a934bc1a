import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import type { Key } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";

/** Deletes all that syncs have stored about a collection. */
export async function deleteSyncs(scope: TenantScope, collectionId: string): Promise<void> {
  const { pk, sk } = keys.sync(scope.tenantId, collectionId);
  for (const prefix of [keyPrefixes.syncEntry, keyPrefixes.syncRemoval]) await deleteAll(scope, pk, prefix);
  await tenantTable(scope).deleteMany([{ pk, sk }]);
}

const DELETED_AT_ONCE = 1_000;

/** Deletes the items of a partition with a prefix, a bounded number at a time. */
export async function deleteAll(scope: TenantScope, pk: string, prefix: string): Promise<void> {
  let batch: Key[];
  do {
    batch = await tenantTable(scope).query({ pk, prefix, limit: DELETED_AT_ONCE, attributes: [] });
    await tenantTable(scope).deleteMany(batch);
  } while (batch.length === DELETED_AT_ONCE);
}
