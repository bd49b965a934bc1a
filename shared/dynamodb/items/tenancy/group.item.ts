import { defineItem } from "../../define-item.ts";

const prefix = "group#";

export const groupItem = defineItem({
  type: "group",
  keys: {
    group: (tenant: string, group: string) => ({ pk: `${tenant}#groups`, sk: `${prefix}${group}` }),
  },
  prefixes: { group: prefix },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "group", id: "id", values: ["name", "roles", "member_ids"] },
  erasedWith: "tenant",
});
