import { defineItem } from "../../define-item.ts";

export const openaiConversationItem = defineItem({
  type: "openai-conversation",
  keys: {
    /** Conversation of the OpenAI-compatible API, which belongs to the API key that created it. */
    openaiConversation: (tenant: string, key: string, conversation: string) => ({
      pk: `${tenant}#openai-conversation#${key}#${conversation}`,
      sk: "conversation",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
