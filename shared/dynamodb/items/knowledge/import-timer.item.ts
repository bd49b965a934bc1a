import { defineItem } from "../../define-item.ts";

const prefix = "import-timer#";

export const importTimerItem = defineItem({
  type: "import-timer",
  keys: {
    /** Timer of an import. When DynamoDB expires this item, the rule `refresh-import` runs the import again. */
    importTimer: (tenant: string, collection: string, id: string) => ({
      pk: `${tenant}#collection#${collection}`,
      sk: `${prefix}${id}`,
    }),
  },
  prefixes: { importTimer: prefix },
  recordsActor: [],
  processors: ["cascade", "index-documents"],
  audit: false,
  erasedWith: "parent",
});
