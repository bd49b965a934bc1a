import { type Budget, createBudgetRoute } from "#shared/api/governance/budgets.ts";
import { newBudgetWrites } from "#shared/governance/budgets/budget-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";

export const handler = endpoint(createBudgetRoute, async ({ principal, body, commit }) => {
  const budget: Budget = { ...body, id: newId(), source: "administrator", created_at: timestamp() };
  return commit(budget, ...newBudgetWrites(principal, budget));
});
