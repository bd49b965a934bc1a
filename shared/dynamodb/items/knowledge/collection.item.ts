import { defineItem } from "../../define-item.ts";
import type { KeyOwner } from "../../key-owner.ts";

export const collectionItem = defineItem({
  type: "collection",
  keys: {
    collection: (tenant: string, collection: string) => ({
      pk: `${tenant}#collection#${collection}`,
      sk: "collection",
    }),
  },
  index: {
    /** Collections of the tenant, of one user, or of named `readers`, in creation order. */
    collectionByReaders: (tenant: string, readers: KeyOwner, collection: string) => ({
      gsi1pk: `${tenant}#collections#${readers}`,
      gsi1sk: collection,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade", "index-documents"],
  audit: { kind: "collection", id: "id", values: ["readers"], redacted: ["name", "description"] },
  erasedWith: "owner",
});
