import { defineItem } from "../../define-item.ts";

export const syncItem = defineItem({
  type: "sync",
  keys: {
    /** Last sync of a collection. */
    sync: (tenant: string, collection: string) => ({ pk: `${tenant}#collection#${collection}`, sk: "sync" }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade", "index-documents"],
  audit: false,
  erasedWith: "parent",
});
