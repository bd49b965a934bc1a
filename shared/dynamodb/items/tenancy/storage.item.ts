import { defineItem } from "../../define-item.ts";

export const storageItem = defineItem({
  type: "storage",
  keys: {
    /** Number of a tenant's documents, and total bytes of its documents and attached files. */
    storage: (tenant: string) => ({ pk: `${tenant}#storage`, sk: "storage" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
