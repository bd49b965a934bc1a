import { defineItem } from "../../define-item.ts";

const prefix = "source#";

export const documentSourceItem = defineItem({
  type: "document-source",
  keys: {
    /** Part of the text of a version of a document. */
    documentSource: (tenant: string, document: string, version: number, part: number) => ({
      pk: `${tenant}#document#${document}`,
      sk: `${prefix}${version}#${String(part).padStart(3, "0")}`,
    }),
  },
  prefixes: { documentSource: prefix },
  partitionOf: { document: "" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
