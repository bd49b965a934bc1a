import { defineItem } from "../../define-item.ts";

export const sharedViewItem = defineItem({
  type: "shared-view",
  keys: {
    /** Lookup of a share link by the hash of its token; deleted when the link is revoked. */
    sharedView: (hash: string) => ({ pk: `~shared-view#${hash}`, sk: "shared-view" }),
  },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
