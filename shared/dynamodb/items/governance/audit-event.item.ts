import { defineItem } from "../../define-item.ts";

const prefix = "event#";

export const auditEventItem = defineItem({
  type: "audit-event",
  keys: {
    auditEvent: (tenant: string, seq: number) => ({
      pk: `${tenant}#audit`,
      sk: `${prefix}${String(seq).padStart(12, "0")}`,
    }),
  },
  prefixes: { auditEvent: prefix },
  index: {
    /** Audit events about one target, in the order of the audit chain. */
    auditByTarget: (tenant: string, target: string, seq: number) => ({
      gsi1pk: `${tenant}#audit-of#${target}`,
      gsi1sk: String(seq).padStart(12, "0"),
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
