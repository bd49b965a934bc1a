import { defineItem } from "../../define-item.ts";

export const auditHeadItem = defineItem({
  type: "audit-head",
  keys: {
    auditHead: (tenant: string) => ({ pk: `${tenant}#audit`, sk: "head" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
