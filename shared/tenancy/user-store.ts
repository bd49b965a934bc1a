import { indexKeys, keys } from "../dynamodb/keys.ts";
import { ignoreConditionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";

const MAX_CACHE_ENTRIES = 10_000;

/** Partition keys of users that exist. Users are never deleted, so the cache needs no TTL. */
const existingUsers = new Set<string>();

/** Creates the user unless it exists. Called for every authenticated request. */
export async function ensureUser(scope: TenantScope, userId: string): Promise<void> {
  const key = keys.user(scope.tenantId, userId);
  if (existingUsers.has(key.pk)) return;
  await tenantTable(scope)
    .write({
      put: {
        ...key,
        ...indexKeys.userOfTenant(scope.tenantId, userId),
        discriminator: "user",
        timestamp: now(),
        user_id: userId,
        created_at: timestamp(),
      },
      condition: { where: "attribute_not_exists(#pk)" },
    })
    .catch(ignoreConditionFailed);
  if (existingUsers.size >= MAX_CACHE_ENTRIES) existingUsers.clear();
  existingUsers.add(key.pk);
}

/** Checks whether the user exists in the tenant. */
export async function userExists(scope: TenantScope, userId: string): Promise<boolean> {
  return (await tenantTable(scope).get(keys.user(scope.tenantId, userId))) !== undefined;
}
