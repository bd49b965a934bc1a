import { defineItem } from "../../define-item.ts";

export const conversationItem = defineItem({
  type: "conversation",
  keys: {
    conversation: (tenant: string, conversation: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: "conversation",
    }),
  },
  index: {
    /** Conversations that a user owns or has a grant for, by last activity. */
    conversationByActivity: (tenant: string, user: string, lastActivityAt: string) => ({
      gsi1pk: `${tenant}#user#${user}#conversations`,
      gsi1sk: lastActivityAt,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "conversation",
    id: "id",
    values: ["owner_id", "tier", "folder_id", "persona_id", "pinned", "retention_days"],
    redacted: ["title"],
    // A message moves the conversation to the top of the list and sets the tier that it was asked with.
    isActivity: (before, after) => before.last_activity_at !== after.last_activity_at,
  },
  erasedWith: "owner",
});
