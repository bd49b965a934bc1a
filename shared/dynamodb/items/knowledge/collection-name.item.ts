import { defineItem } from "../../define-item.ts";

export const collectionNameItem = defineItem({
  type: "collection-name",
  keys: {
    /** Reservation of a name among the collections of their owner. */
    collectionName: (tenant: string, owner: string, name: string) => ({
      pk: `${tenant}#collection-name#${owner}#${name}`,
      sk: "collection-name",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
