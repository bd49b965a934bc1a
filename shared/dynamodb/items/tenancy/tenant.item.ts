import { defineItem } from "../../define-item.ts";

export const tenantItem = defineItem({
  type: "tenant",
  keys: {
    tenant: (tenant: string) => ({ pk: `${tenant}#tenant`, sk: "tenant" }),
  },
  index: {
    /** Entry of a tenant in the list of all tenants, in order of their ids. */
    tenantOfDeployment: (tenant: string) => ({ gsi1pk: "~deployment#tenants", gsi1sk: tenant }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "tenant",
    id: "tenant_id",
    values: ["name", "plan", "limits", "budgets", "suspended_at"],
    // The audit trail is deleted with its tenant.
    isActivity: (before) => Boolean(before.deletion_requested_at),
    verb: (before, after) => {
      if (!before || (before.suspended_at ?? null) === (after.suspended_at ?? null)) return undefined;
      return after.suspended_at ? "suspended" : "resumed";
    },
  },
  erasedWith: "tenant",
});
