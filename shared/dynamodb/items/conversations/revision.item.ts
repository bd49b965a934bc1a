import { defineItem } from "../../define-item.ts";

const prefix = "revision#";

export const revisionItem = defineItem({
  type: "revision",
  keys: {
    revision: (tenant: string, conversation: string, message: string, replacedAt: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${message}#${replacedAt}`,
    }),
  },
  prefixes: { revision: prefix },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
