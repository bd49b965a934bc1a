import { defineItem } from "../../define-item.ts";

const prefix = "sync-removal#";

export const syncRemovalItem = defineItem({
  type: "sync-removal",
  keys: {
    /** File that a source no longer has, by its content, so that a file that was moved is found. */
    syncRemoval: (tenant: string, collection: string, hash: string, pathKey: string) => ({
      pk: `${tenant}#collection#${collection}`,
      sk: `${prefix}${hash}#${pathKey}`,
    }),
  },
  prefixes: { syncRemoval: prefix },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
