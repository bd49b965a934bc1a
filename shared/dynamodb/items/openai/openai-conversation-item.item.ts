import { defineItem } from "../../define-item.ts";

export const openaiConversationItemItem = defineItem({
  type: "openai-conversation-item",
  keys: {
    /** Part of an item in a conversation of the OpenAI-compatible API; `position` sorts in the order of the items. */
    openaiConversationItem: (tenant: string, key: string, conversation: string, position: string, part: number) => ({
      pk: `${tenant}#openai-conversation#${key}#${conversation}`,
      sk: `item#${position}#${String(part).padStart(3, "0")}`,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
