import { defineItem } from "../../define-item.ts";

const prefix = "name#";

export const groupNameItem = defineItem({
  type: "group-name",
  keys: {
    groupName: (tenant: string, name: string) => ({ pk: `${tenant}#groups`, sk: `${prefix}${name}` }),
  },
  prefixes: { groupName: prefix },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "tenant",
});
