import { defineItem } from "../../define-item.ts";

const prefix = "anchor#";

export const auditAnchorItem = defineItem({
  type: "audit-anchor",
  keys: {
    /** Head of the chain at the end of a UTC day, for the event that tells it. */
    auditAnchor: (tenant: string, day: string) => ({ pk: `${tenant}#audit`, sk: `${prefix}${day}` }),
  },
  prefixes: { auditAnchor: prefix },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
