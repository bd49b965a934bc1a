import { defineItem } from "../../define-item.ts";

const prefix = "grant#";

export const grantItem = defineItem({
  type: "grant",
  keys: {
    grant: (tenant: string, conversation: string, user: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${user}`,
    }),
  },
  prefixes: { grant: prefix },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "grant",
    target: ["conversation", "conversation_id"],
    id: "user_id",
    values: ["permission", "granted_by"],
  },
  erasedWith: "owner",
});
