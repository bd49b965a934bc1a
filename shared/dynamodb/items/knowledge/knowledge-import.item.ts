import { defineItem } from "../../define-item.ts";

const prefix = "import#";

export const knowledgeImportItem = defineItem({
  type: "knowledge-import",
  keys: {
    knowledgeImport: (tenant: string, collection: string, id: string) => ({
      pk: `${tenant}#collection#${collection}`,
      sk: `${prefix}${id}`,
    }),
  },
  prefixes: { knowledgeImport: prefix },
  recordsActor: ["put", "update"],
  processors: ["cascade", "index-documents"],
  audit: false,
  erasedWith: "parent",
});
