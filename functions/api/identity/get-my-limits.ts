import { getMyLimitsRoute } from "#shared/api/governance/budgets.ts";
import { isPersonId } from "#shared/auth/principal.ts";
import { isBudget, readBudgets } from "#shared/governance/budgets/applied-budgets.ts";
import { toState } from "#shared/governance/budgets/budget-state.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getRateLimit } from "#shared/tenancy/rate-limit-settings.ts";
import { getStorageState } from "#shared/tenancy/storage-store.ts";

export const handler = endpoint(getMyLimitsRoute, async ({ principal, tenant }) => {
  const userId = isPersonId(principal.userId) ? principal.userId : null;
  const check = await readBudgets({ tenant, userId, keyId: principal.apiKey?.id ?? null, personaId: null });
  const budgets = (check?.applied ?? []).flatMap((applied) => {
    if (!isBudget(applied.budget)) return [];
    const { name, scope, unit, limit, window } = applied.budget;
    const { unpriced: _, ...current } = toState(applied, check?.ledgers.get(applied.ledger));
    return [{ name, scope: scope.type, unit, limit, window, current }];
  });
  const requests_per_minute = tenant.limits.requests_per_minute ?? getRateLimit("tenant");
  return { requests_per_minute, budgets, storage: await getStorageState(tenant) };
});
