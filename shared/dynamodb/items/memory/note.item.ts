import { defineItem } from "../../define-item.ts";

export const noteItem = defineItem({
  type: "note",
  keys: {
    note: (tenant: string, user: string, note: string) => ({ pk: `${tenant}#notes#${user}`, sk: note }),
  },
  index: {
    /** Notes attached to a conversation, by author. */
    noteByConversation: (tenant: string, conversation: string, user: string, note: string) => ({
      gsi1pk: `${tenant}#notes-of#${conversation}`,
      gsi1sk: `${user}#${note}`,
    }),
  },
  partitionOf: { user: "" },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "note", id: "id", redacted: ["title", "body", "tags", "pinned", "conversation_id"] },
  erasedWith: "owner",
});
