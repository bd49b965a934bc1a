import { defineItem } from "../../define-item.ts";

export const folderEntryItem = defineItem({
  type: "folder-entry",
  keys: {
    /** Entry of a conversation in a folder. Deleting the folder moves these conversations. */
    folderEntry: (tenant: string, folder: string, conversation: string) => ({
      pk: `${tenant}#folder#${folder}`,
      sk: conversation,
    }),
  },
  partitionOf: { folder: "" },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
