import { defineItem } from "../../define-item.ts";

export const usageCorrectionItem = defineItem({
  type: "usage-correction",
  keys: {
    usageCorrection: (tenant: string, correction: string) => ({ pk: `${tenant}#usage-corrections`, sk: correction }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "usage_correction",
    id: "id",
    values: ["day", "model", "user_id", "key_id", "persona_id", "cost_usd", "reason"],
  },
  erasedWith: "tenant",
});
