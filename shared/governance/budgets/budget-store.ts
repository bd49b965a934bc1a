import { Budget, MAX_BUDGETS } from "../../api/governance/budgets.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { requireItem } from "../../dynamodb/required-item.ts";
import { allOf, exists, lessThan, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { getTenant, type Tenant } from "../../tenancy/tenant-store.ts";

const readBudget = itemReader(Budget);

/**
 * Returns the write that changes the number of budgets in the tenant's item, by which requests of a tenant without
 * budgets skip reading them. It throws ServiceError `conflict` beyond `MAX_BUDGETS`.
 */
const countWrite = ({ tenantId }: TenantScope, added: 1 | -1): Write => ({
  update: keys.tenant(tenantId),
  add: { budget_count: added },
  condition: allOf(
    [lessThan({ budget_count: added > 0 ? MAX_BUDGETS : MAX_BUDGETS + 1 })],
    () => new ServiceError("conflict", `There are ${MAX_BUDGETS} budgets already; delete one first.`),
  ),
});

export const newBudgetWrites = (scope: TenantScope, budget: Budget): Write[] => [
  { put: { ...keys.budget(scope.tenantId, budget.id), discriminator: "budget", timestamp: now(), ...budget } },
  countWrite(scope, 1),
];

export const budgetChange = (
  { tenantId }: TenantScope,
  id: string,
  set: Partial<Pick<Budget, "name" | "limit">>,
): Write => ({
  update: keys.budget(tenantId, id),
  set: { ...set, timestamp: now() },
  condition: exists(notFound),
});

export const budgetDeletion = (scope: TenantScope, id: string): Write[] => [
  {
    delete: keys.budget(scope.tenantId, id),
    condition: exists(notFound),
  },
  countWrite(scope, -1),
];

/** @throws ServiceError `not_found` */
export async function getStoredBudget(scope: TenantScope, id: string): Promise<Budget> {
  return readBudget(await requireItem(scope, keys.budget(scope.tenantId, id)));
}

async function listStored(scope: TenantScope): Promise<Budget[]> {
  const { pk } = keys.budget(scope.tenantId, "");
  return (await tenantTable(scope).query({ pk, limit: MAX_BUDGETS + 1 })).map(readBudget);
}

/** Converts the budgets that the operator set for a tenant. */
const toOperatorBudgets = ({ budgets, created_at }: Tenant): Budget[] =>
  budgets.map((budget) => ({
    id: `operator-${budget.unit}-${budget.window}`,
    name: "Limit of the service",
    scope: { type: "tenant", id: null },
    ...budget,
    source: "operator",
    created_at,
  }));

/** Lists the budgets of a tenant, read from the table instead of the cache. */
export const listBudgets = async (tenant: Tenant): Promise<Budget[]> => [
  ...toOperatorBudgets(tenant),
  ...(await listStored({ tenantId: tenant.tenant_id })),
];

/** Cache TTL of the budgets of a tenant. */
const REMEMBERED_MS = 15_000;
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, { readonly expiresAt: number; readonly budgets: Promise<Budget[]> }>();

/** Returns the budgets of a tenant by its id, from a cache of 15 seconds. */
export const getBudgetsOf = async (scope: TenantScope): Promise<Budget[]> => getBudgets(await getTenant(scope));

/** Returns the budgets of a tenant, from a cache of 15 seconds. A tenant without budgets causes no read. */
export async function getBudgets(tenant: Tenant): Promise<Budget[]> {
  const { tenant_id: tenantId, budget_count } = tenant;
  if (budget_count === 0) return toOperatorBudgets(tenant);
  let known = remembered.get(tenantId);
  if (!known || known.expiresAt <= now()) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    known = { expiresAt: now() + REMEMBERED_MS, budgets: listStored({ tenantId }) };
    known.budgets.catch(() => remembered.delete(tenantId));
    remembered.set(tenantId, known);
  }
  return [...toOperatorBudgets(tenant), ...(await known.budgets)];
}
