import { defineItem } from "../../define-item.ts";

export const deletionItem = defineItem({
  type: "deletion",
  keys: {
    deletion: (tenant: string, deletion: string) => ({ pk: `${tenant}#deletions`, sk: deletion }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "data_deletion",
    id: "id",
    values: ["user_id", "successor_id", "status"],
    verb: (before, after) => {
      if (after.successor_id) return before ? "handed_over" : "hand_over_requested";
      return before ? String(after.status) : "requested";
    },
  },
  erasedWith: "tenant",
});
