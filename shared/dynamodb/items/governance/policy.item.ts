import { defineItem } from "../../define-item.ts";

export const policyItem = defineItem({
  type: "policy",
  keys: {
    policy: (tenant: string) => ({ pk: `${tenant}#policy`, sk: "policy" }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "policy",
    id: "sk",
    values: [
      "banner",
      "classification",
      "retention",
      "export",
      "approvals",
      "memory",
      "sharing",
      "guardrails",
      "version",
    ],
  },
  erasedWith: "tenant",
});
