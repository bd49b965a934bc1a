import { defineItem } from "../../define-item.ts";

export const teamsLookupItem = defineItem({
  type: "teams-lookup",
  keys: {
    /** Connected Teams workspace by a hash of its id, read before the tenant is known. */
    teamsLookup: (workspaceHash: string) => ({ pk: `~teams-workspace#${workspaceHash}`, sk: "teams-workspace" }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
