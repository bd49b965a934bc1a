import { defineItem } from "../../define-item.ts";

const prefix = "name#";

export const folderNameItem = defineItem({
  type: "folder-name",
  keys: {
    folderName: (tenant: string, user: string, parent: string | null, name: string) => ({
      pk: `${tenant}#user#${user}#folders`,
      sk: `${prefix}${parent ?? ""}#${name}`,
    }),
  },
  prefixes: { folderName: prefix },
  // Deleted together with a change of the folder, which records the actor.
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
