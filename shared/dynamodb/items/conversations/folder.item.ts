import { defineItem } from "../../define-item.ts";

const prefix = "folder#";

export const folderItem = defineItem({
  type: "folder",
  keys: {
    folder: (tenant: string, user: string, folder: string) => ({
      pk: `${tenant}#user#${user}#folders`,
      sk: `${prefix}${folder}`,
    }),
  },
  prefixes: { folder: prefix },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "folder", id: "id", values: ["parent_id"], redacted: ["name"] },
  erasedWith: "owner",
});
