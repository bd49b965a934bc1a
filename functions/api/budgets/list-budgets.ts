import { listBudgetsRoute } from "#shared/api/governance/budgets.ts";
import { withStates } from "#shared/governance/budgets/budget-state.ts";
import { listBudgets } from "#shared/governance/budgets/budget-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listBudgetsRoute, async ({ principal, tenant }) => ({
  budgets: await withStates(principal, await listBudgets(tenant)),
}));
