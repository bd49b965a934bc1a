import { defineItem } from "../../define-item.ts";

export const investigationGroupItem = defineItem({
  type: "investigation-group",
  keys: {
    /** Latest investigation of an incident or service, by a hash of its name. Later alerts of the incident join it. */
    investigationGroup: (tenant: string, hash: string) => ({
      pk: `${tenant}#investigation-group#${hash}`,
      sk: "group",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
