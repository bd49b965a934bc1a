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
    /** Collections that an audience may read, in creation order. */
    collectionByAudience: (tenant: string, audience: KeyOwner, collection: string) => ({
      gsi1pk: `${tenant}#collections#${audience}`,
      gsi1sk: collection,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade", "index-documents"],
  audit: { kind: "collection", id: "id", values: ["visibility"], redacted: ["name", "description"] },
  erasedWith: "owner",
});
