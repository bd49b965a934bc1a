import { defineItem } from "../../define-item.ts";

const prefix = "mark#";

export const auditMarkItem = defineItem({
  type: "audit-mark",
  keys: {
    /**
     * Marker that a change is already in the audit chain; `change` is the id of its stream record, which can be delivered
     * again.
     */
    auditMark: (tenant: string, change: string) => ({
      pk: `${tenant}#audit`,
      sk: `${prefix}${change}`,
    }),
  },
  prefixes: { auditMark: prefix },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
