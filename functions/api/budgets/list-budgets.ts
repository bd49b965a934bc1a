import { listBudgets } from "#shared/api/governance/budgets.ts";
import { withStates } from "#shared/governance/budgets/budget-state.ts";
import * as store from "#shared/governance/budgets/budget-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listBudgets, async ({ principal, tenant }) => ({
  budgets: await withStates(principal, await store.listBudgets(tenant)),
}));
