import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { requireItem } from "../dynamodb/required-item.ts";
import { equals, type Item } from "../dynamodb/table.ts";
import { deploymentScope, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, requireFound, ServiceError } from "../lib/errors.ts";
import { readTenant, type Tenant, type TenantProperties } from "./tenant-store.ts";
import { countMembers } from "./user-store.ts";

/** Prefix of attributes in the tenant's item that count its deleted items by type. */
const COUNTER_PREFIX = "erased_";

/** Returns the name of the attribute that counts the deleted items of a type. */
export const toCounterName = (type: string) => COUNTER_PREFIX + type.replaceAll("-", "_");

/** Tenant with the number of its items that its deletion has removed, by type. */
export interface TenantWithDeletedItems extends Tenant {
  readonly deletedItems: Readonly<Record<string, number>>;
}

function readAdministeredTenant(item: Item): TenantWithDeletedItems {
  const counters = Object.entries(item).filter(([name]) => name.startsWith(COUNTER_PREFIX));
  const deletedItems = Object.fromEntries(
    counters.map(([name, count]) => [name.slice(COUNTER_PREFIX.length), Number(count)]),
  );
  return { ...readTenant(item), deletedItems };
}

/** @throws ServiceError `not_found` */
export async function getAdministeredTenant(scope: TenantScope): Promise<TenantWithDeletedItems> {
  return readAdministeredTenant(await requireItem(scope, keys.tenant(scope.tenantId)));
}

/** Returns one page of all tenants of the deployment, ordered by id. */
export async function listTenants(request: PageRequest): Promise<Page<TenantWithDeletedItems>> {
  const { gsi1pk } = indexKeys.tenantOfDeployment("");
  return mapPage(
    await listPage(deploymentScope, { list: "tenants", index: "gsi1", pk: gsi1pk }, request),
    readAdministeredTenant,
  );
}

/** Changes to a tenant. Null removes a limit. */
interface TenantChanges extends Partial<Pick<TenantProperties, "name" | "plan" | "billing_id" | "budgets">> {
  readonly limits?: Readonly<Record<string, number | null>>;
  readonly suspended?: boolean;
}

/**
 * Changes a tenant.
 * @throws ServiceError `not_found`, or `conflict` if the tenant is being deleted or changes concurrently
 */
export async function updateTenant(
  scope: TenantScope,
  { limits: limitChanges, suspended, ...texts }: TenantChanges,
): Promise<TenantWithDeletedItems> {
  const table = tenantTable(scope);
  const key = keys.tenant(scope.tenantId);
  const item = requireFound(await table.get(key, { consistent: true }));
  const tenant = readTenant(item);
  if (tenant.deletion_requested_at) throw new ServiceError("conflict", "The tenant is deleted and cannot be changed.");
  const changed: Record<string, number | null> = { ...tenant.limits, ...limitChanges };
  const limits = Object.fromEntries(Object.entries(changed).filter(([, limit]) => limit !== null));
  const suspendedAt = tenant.suspended_at ?? timestamp();
  const updated = await table.write({
    update: key,
    set: {
      ...texts,
      limits,
      suspended_at: (suspended ?? tenant.suspended_at !== null) ? suspendedAt : null,
      timestamp: now(),
      ...(limits.members !== undefined && { member_count: await countMembers(scope) }),
    },
    condition: equals({ timestamp: item.timestamp }, () => changedConcurrently("The tenant")),
  });
  return readAdministeredTenant(updated as Item);
}
