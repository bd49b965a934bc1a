import { defineItem } from "../../define-item.ts";

export const pendingExportItem = defineItem({
  type: "pending-export",
  keys: {
    /** Entry for an archive while it is being built, so that a user has one at a time. */
    pendingExport: (tenant: string, user: string) => ({
      pk: `${tenant}#user#${user}#pending-export`,
      sk: "pending-export",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
