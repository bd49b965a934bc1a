import { defineItem } from "../../define-item.ts";

const prefix = "document#";

export const documentItem = defineItem({
  type: "document",
  keys: {
    document: (tenant: string, collection: string, document: string) => ({
      pk: `${tenant}#collection#${collection}`,
      sk: `${prefix}${document}`,
    }),
  },
  prefixes: { document: prefix },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade", "index-documents"],
  audit: { kind: "document", id: "id", parent: "collection_id", values: ["readers"] },
  erasedWith: "parent",
});
