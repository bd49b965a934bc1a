import { notFound, requireFound } from "../lib/errors.ts";
import { exists, type Item, type Key } from "./table.ts";
import { type TenantScope, tenantTable } from "./tenant-scope.ts";

/**
 * Returns an item with all writes that were completed before.
 * @throws ServiceError `not_found`
 */
export async function requireItem(scope: TenantScope, key: Key): Promise<Item> {
  return requireFound(await tenantTable(scope).get(key, { consistent: true }));
}

/** @throws ServiceError `not_found` */
export async function deleteExistingItem(scope: TenantScope, key: Key): Promise<void> {
  await tenantTable(scope).write({ delete: key, condition: exists(notFound) });
}
