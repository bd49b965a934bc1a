import { defineItem } from "../../define-item.ts";

const prefix = "sync-entry#";

export const syncEntryItem = defineItem({
  type: "sync-entry",
  keys: {
    /** File of a synced source with its document, by the digest of the path. */
    syncEntry: (tenant: string, collection: string, pathKey: string) => ({
      pk: `${tenant}#collection#${collection}`,
      sk: `${prefix}${pathKey}`,
    }),
  },
  prefixes: { syncEntry: prefix },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
