import { deleteBudgetRoute } from "#shared/api/governance/budgets.ts";
import { budgetDeletion } from "#shared/governance/budgets/budget-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteBudgetRoute, async ({ principal, params, commit }) =>
  commit(undefined, ...budgetDeletion(principal, params.id)),
);
