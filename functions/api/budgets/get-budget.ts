import { getBudgetRoute } from "#shared/api/governance/budgets.ts";
import { withStates } from "#shared/governance/budgets/budget-state.ts";
import { getStoredBudget } from "#shared/governance/budgets/budget-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getBudgetRoute, async ({ principal, params }) => {
  const [budget] = await withStates(principal, [await getStoredBudget(principal, params.id)]);
  if (!budget) throw notFound();
  return budget;
});
