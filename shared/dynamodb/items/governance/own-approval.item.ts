import { defineItem } from "../../define-item.ts";

export const ownApprovalItem = defineItem({
  type: "own-approval",
  keys: {
    /** Entry in the requesting user's list of approvals. */
    ownApproval: (tenant: string, user: string, approval: string) => ({
      pk: `${tenant}#user#${user}#approvals`,
      sk: approval,
    }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
