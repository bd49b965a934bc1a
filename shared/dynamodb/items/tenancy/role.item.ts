import { defineItem } from "../../define-item.ts";

export const roleItem = defineItem({
  type: "role",
  keys: {
    role: (tenant: string, name: string) => ({ pk: `${tenant}#roles`, sk: name }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "role", id: "name", values: ["permissions"], redacted: ["description"] },
  erasedWith: "tenant",
});
