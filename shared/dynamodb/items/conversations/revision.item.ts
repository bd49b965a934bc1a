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
  index: {},
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
