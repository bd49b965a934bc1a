import { defineItem } from "../../define-item.ts";

export const exportItem = defineItem({
  type: "export",
  keys: {
    export: (tenant: string, user: string, id: string) => ({ pk: `${tenant}#user#${user}#exports`, sk: id }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "export",
    id: "id",
    values: ["kind", "conversation_id", "format", "status", "downloads"],
    verb: (before, after) => {
      if (!before) return after.status === "delivered" ? "delivered" : "requested";
      if (before.status !== after.status) return String(after.status);
      return before.downloads !== after.downloads ? "downloaded" : undefined;
    },
  },
  erasedWith: "owner",
});
