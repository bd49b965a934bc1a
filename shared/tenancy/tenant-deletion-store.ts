import { indexKeys, keys } from "../dynamodb/keys.ts";
import { equals, exists, type Key, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { getAdministeredTenant, type TenantWithDeletedItems, toCounterName } from "./tenant-admin-store.ts";

/**
 * Suspends a tenant and requests its deletion, upon which the rule `delete-tenant` starts the job. Repeated requests change
 * nothing.
 * @throws ServiceError `not_found`
 */
export async function requestTenantDeletion(scope: TenantScope): Promise<TenantWithDeletedItems> {
  const tenant = await getAdministeredTenant(scope);
  if (tenant.deletion_requested_at) return tenant;
  const requestedAt = timestamp();
  await tenantTable(scope).write({
    update: keys.tenant(scope.tenantId),
    set: {
      ...indexKeys.tenantOfDeployment(scope.tenantId),
      suspended_at: tenant.suspended_at ?? requestedAt,
      deletion_requested_at: requestedAt,
      deletion_proof: sha256(`${scope.tenantId} ${requestedAt}`),
      timestamp: now(),
    },
    condition: exists(notFound),
  });
  return getAdministeredTenant(scope);
}

/**
 * Deletes items of a tenant, adds their number to its counters, and chains the hash of their keys to `deletion_proof`.
 * All of it is one transaction, so that an interrupted job counts nothing twice.
 * @param counts number of the items by type
 * @throws ServiceError `conflict` if another job of the tenant deletes at the same time
 */
export async function deleteRecorded(
  scope: TenantScope,
  deleted: readonly Key[],
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const { deletion_proof } = await getAdministeredTenant(scope);
  const proof = sha256(JSON.stringify([deletion_proof, deleted.map(({ pk, sk }) => [pk, sk])]));
  try {
    await tenantTable(scope).transact([
      ...deleted.map(({ pk, sk }) => ({ delete: { pk, sk } })),
      {
        update: keys.tenant(scope.tenantId),
        set: { deletion_proof: proof },
        add: Object.fromEntries(Object.entries(counts).map(([type, count]) => [toCounterName(type), count])),
        condition: equals({ deletion_proof }),
      },
    ]);
  } catch (error) {
    throw error instanceof TransactionFailed ? changedConcurrently("The tenant") : error;
  }
}

/** Records that a deletion is complete. Only the tenant's id, dates, counts and hash remain. */
export async function completeTenantDeletion(scope: TenantScope): Promise<void> {
  await tenantTable(scope).write({
    update: keys.tenant(scope.tenantId),
    set: { name: null, plan: null, limits: {}, budgets: [], deletion_completed_at: timestamp(), timestamp: now() },
    condition: exists(),
  });
}
