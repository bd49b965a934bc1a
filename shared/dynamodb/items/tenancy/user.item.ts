import { defineItem } from "../../define-item.ts";

export const userItem = defineItem({
  type: "user",
  keys: {
    user: (tenant: string, user: string) => ({ pk: `${tenant}#user#${user}`, sk: "user" }),
  },
  index: {
    userOfTenant: (tenant: string, user: string) => ({ gsi1pk: `${tenant}#users`, gsi1sk: user }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "user",
    id: "user_id",
    values: ["deactivated_at"],
    redacted: ["scim"],
    verb: (before, after) => {
      if (!before || before.deactivated_at === after.deactivated_at) return undefined;
      return after.deactivated_at ? "deactivated" : "reactivated";
    },
  },
  erasedWith: "tenant",
});
