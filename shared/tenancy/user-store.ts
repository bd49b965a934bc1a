import { indexKeys, keys } from "../dynamodb/keys.ts";
import { ConditionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";

/** Users this function has seen; a record is only ever added, so what was seen stays true. */
const seen = new Set<string>();
const mostSeen = 10_000;

/** Sees to it that the user has a record: it appears with the first authenticated request. */
export async function rememberUser(scope: TenantScope, userId: string): Promise<void> {
  const key = keys.user(scope.tenantId, userId);
  if (seen.has(key.pk)) return;
  try {
    await tenantTable(scope).write({
      put: {
        ...key,
        ...indexKeys.userOfTenant(scope.tenantId, userId),
        discriminator: "user",
        timestamp: now(),
        user_id: userId,
        created_at: timestamp(),
      },
      condition: { where: "attribute_not_exists(#pk)" },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  if (seen.size >= mostSeen) seen.clear();
  seen.add(key.pk);
}

/** Whether the tenant knows this user. */
export async function userExists(scope: TenantScope, userId: string): Promise<boolean> {
  return (await tenantTable(scope).get(keys.user(scope.tenantId, userId))) !== undefined;
}
