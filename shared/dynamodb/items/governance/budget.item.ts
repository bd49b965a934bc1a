import { defineItem } from "../../define-item.ts";

export const budgetItem = defineItem({
  type: "budget",
  keys: {
    budget: (tenant: string, budget: string) => ({ pk: `${tenant}#budgets`, sk: budget }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "budget", id: "id", values: ["scope", "unit", "limit", "window", "time_zone"], redacted: ["name"] },
  erasedWith: "tenant",
});
