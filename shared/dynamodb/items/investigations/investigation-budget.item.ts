import { defineItem } from "../../define-item.ts";

export const investigationBudgetItem = defineItem({
  type: "investigation-budget",
  keys: {
    /** Tokens and cost of the investigations of a channel on one day. */
    investigationBudget: (tenant: string, channel: string, day: string) => ({
      pk: `${tenant}#investigation-budget#${channel}`,
      sk: day,
    }),
  },
  partitionOf: { webhook: "" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
