import { defineItem } from "../../define-item.ts";

export const budgetLedgerItem = defineItem({
  type: "budget-ledger",
  keys: {
    /** Counters of the budgets of the whole tenant, or of one subject such as `user#<id>`. */
    budgetLedger: (tenant: string, ledger: string) => ({ pk: `${tenant}#budget-ledger#${ledger}`, sk: "ledger" }),
  },
  prefixes: {},
  index: {},
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
