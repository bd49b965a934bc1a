import { indexKeys, keys } from "../dynamodb/keys.ts";
import { equals, exists, type Key, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { type AdministeredTenant, getAdministeredTenant, toCounterName } from "./tenant-admin-store.ts";

/**
 * Suspends a tenant and requests its deletion; the stream processor then starts the job. Repeated requests change nothing.
 * @throws ServiceError `not_found`
 */
export async function requestTenantDeletion(scope: TenantScope): Promise<AdministeredTenant> {
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
 * Deletes items of a tenant and records them: their number by type, and a hash that chains their keys to those deleted before.
 * One transaction, so that an interrupted job counts nothing twice.
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

/** Records that nothing of a tenant was found any more. Only its id, the dates, the counts and the hash stay. */
export async function completeTenantDeletion(scope: TenantScope): Promise<void> {
  await tenantTable(scope).write({
    update: keys.tenant(scope.tenantId),
    set: { name: null, plan: null, limits: {}, budgets: [], deletion_completed_at: timestamp(), timestamp: now() },
    condition: exists(),
  });
}
