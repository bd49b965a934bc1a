import { defineItem } from "../../define-item.ts";

export const webhookItem = defineItem({
  type: "webhook",
  keys: {
    webhook: (tenant: string, channel: string) => ({ pk: `${tenant}#webhooks`, sk: channel }),
  },
  index: {
    /** Webhook channels that post into a conversation. */
    conversationWebhooks: (tenant: string, conversation: string, channel: string) => ({
      gsi1pk: `${tenant}#conversation#${conversation}#webhooks`,
      gsi1sk: channel,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "webhook", id: "channel_id", values: ["conversation_id", "write_back"] },
  erasedWith: "tenant",
});
