import { isDeepStrictEqual } from "node:util";
import { defineItem } from "../../define-item.ts";

export const approvalItem = defineItem({
  type: "approval",
  keys: {
    approval: (tenant: string, approval: string) => ({ pk: `${tenant}#approvals`, sk: approval }),
  },
  index: {
    /** Approvals of a tenant with one status, in creation order. */
    approvalByStatus: (tenant: string, status: string, approval: string) => ({
      gsi1pk: `${tenant}#approvals#${status}`,
      gsi1sk: approval,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "approval",
    id: "id",
    values: ["type", "risk_level", "status", "decision", "decided_by"],
    redacted: ["action", "result", "secret_given"],
    verb: (before, after) => {
      if (!before) return "requested";
      if (before.status !== after.status) return String(after.status);
      if (!isDeepStrictEqual(before.result, after.result)) return "carried_out";
      return before.secret_given !== after.secret_given ? "secret_given" : undefined;
    },
  },
  erasedWith: "owner",
});
