import { defineItem } from "../../define-item.ts";

export const collectionNameItem = defineItem({
  type: "collection-name",
  keys: {
    collectionName: (tenant: string, name: string) => ({
      pk: `${tenant}#collection-name#${name}`,
      sk: "collection-name",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
