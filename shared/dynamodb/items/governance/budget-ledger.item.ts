import { defineItem } from "../../define-item.ts";

/** Ledger of the budgets of the whole tenant. */
export const TENANT_LEDGER = "tenant";

export const budgetLedgerItem = defineItem({
  type: "budget-ledger",
  keys: {
    /** Counters of the budgets of the whole tenant, or of one subject such as `user#<id>`. */
    budgetLedger: (tenant: string, ledger: string) => ({ pk: `${tenant}#budget-ledger#${ledger}`, sk: "ledger" }),
  },
  partitionOf: {
    tenant: TENANT_LEDGER,
    user: "user#",
    "api-key": "key#",
    "embed-key": "key#",
    persona: "persona#",
    group: "group#",
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
