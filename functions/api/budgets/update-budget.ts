import { updateBudgetRoute } from "#shared/api/governance/budgets.ts";
import { budgetChange, getStoredBudget } from "#shared/governance/budgets/budget-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { invalidField } from "#shared/lib/errors.ts";

export const handler = endpoint(updateBudgetRoute, async ({ principal, params, body, commit }) => {
  const stored = await getStoredBudget(principal, params.id);
  if (stored.unit !== "usd" && body.limit !== undefined && !Number.isInteger(body.limit)) {
    const message = "must be a whole number for this unit";
    throw invalidField("limit", "invalid_value", message);
  }
  return commit({ ...stored, ...body }, budgetChange(principal, params.id, body));
});
