import { defineItem } from "../../define-item.ts";

const prefix = "message#";

export const messageItem = defineItem({
  type: "message",
  keys: {
    message: (tenant: string, conversation: string, message: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${message}`,
    }),
  },
  prefixes: { message: prefix },
  index: {
    /** Replies in the thread of a message, in creation order. */
    replies: (tenant: string, parent: string, message: string) => ({
      gsi1pk: `${tenant}#replies#${parent}`,
      gsi1sk: message,
    }),
  },
  // A new message already contains its author, so only later writes store an actor.
  recordsActor: ["update", "delete"],
  processors: ["cascade", "index-documents"],
  // The creation of a message is not audited: the message contains its author and time.
  audit: {
    kind: "message",
    target: ["conversation", "conversation_id"],
    id: "message_id",
    redacted: ["content"],
    only: ["updated", "deleted"],
    verb: (before, after) => (before?.edited_at !== after.edited_at ? "edited" : undefined),
  },
  erasedWith: "parent",
});
