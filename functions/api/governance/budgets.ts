import {
  type Budget,
  createBudgetRoute,
  deleteBudgetRoute,
  getBudgetRoute,
  getMyLimitsRoute,
  getMyUsageRoute,
  listBudgetsRoute,
  updateBudgetRoute,
} from "#shared/api/governance/budgets.ts";
import { isPersonId } from "#shared/auth/principal.ts";
import { isBudget, readBudgets } from "#shared/governance/budgets/applied-budgets.ts";
import { toState, withStates } from "#shared/governance/budgets/budget-state.ts";
import {
  budgetChange,
  budgetDeletion,
  getStoredBudget,
  listBudgets,
  newBudgetWrites,
} from "#shared/governance/budgets/budget-store.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { buildUsageReport } from "#shared/governance/usage/usage-report.ts";
import { listUsageOf } from "#shared/governance/usage/usage-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { invalidField, notFound } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";
import { getRateLimit } from "#shared/tenancy/rate-limit-settings.ts";
import { getStorageState } from "#shared/tenancy/storage-store.ts";
import { findUser } from "#shared/tenancy/user-store.ts";

export const createBudgetHandler = endpoint(createBudgetRoute, async ({ principal, body, commit }) => {
  const budget: Budget = { ...body, id: newId(), source: "administrator", created_at: timestamp() };
  return commit(budget, ...newBudgetWrites(principal, budget));
});

export const deleteBudgetHandler = endpoint(deleteBudgetRoute, async ({ principal, params, commit }) =>
  commit(undefined, ...budgetDeletion(principal, params.id)),
);

export const getBudgetHandler = endpoint(getBudgetRoute, async ({ principal, params }) => {
  const [budget] = await withStates(principal, [await getStoredBudget(principal, params.id)]);
  if (!budget) throw notFound();
  return budget;
});

export const listBudgetsHandler = endpoint(listBudgetsRoute, async ({ principal, tenant }) => ({
  budgets: await withStates(principal, await listBudgets(tenant)),
}));

export const updateBudgetHandler = endpoint(updateBudgetRoute, async ({ principal, params, body, commit }) => {
  const stored = await getStoredBudget(principal, params.id);
  if (stored.unit !== "usd" && body.limit !== undefined && !Number.isInteger(body.limit)) {
    const message = "must be a whole number for this unit";
    throw invalidField("limit", "invalid_value", message);
  }
  return commit({ ...stored, ...body }, budgetChange(principal, params.id, body));
});

export const getMyLimitsHandler = endpoint(getMyLimitsRoute, async ({ principal, tenant }) => {
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

export const getMyUsageHandler = endpoint(getMyUsageRoute, async ({ principal, query }) => {
  const { from, to } = toUsagePeriod(query);
  const user = await findUser(principal, principal.userId);
  const records = await listUsageOf(principal, { from, to, first: user?.created_at.slice(0, 10) });
  const { usage, totals } = buildUsageReport(records, ["day"]);
  return { from, to, usage: usage.map((row) => ({ ...row, day: String(row.day) })), totals };
});
