import { ingestAlert, type WebhookChannel } from "../api/channels/webhooks.ts";
import { pathOf } from "../api/define-route.ts";

/** Path that a channel's alerts are posted to. */
export function webhookUrl(channelId: string): string {
  return pathOf(ingestAlert, { channel_id: channelId });
}

/** A channel as administrators see it. */
export function channelInfo(channel: {
  readonly channel_id: string;
  readonly conversation_id: string | null;
  readonly created_at: string;
}): WebhookChannel {
  const { channel_id, conversation_id, created_at } = channel;
  return {
    channel_id,
    registered: true,
    has_conversation_mapping: conversation_id !== null,
    conversation_id,
    webhook_url: webhookUrl(channel_id),
    created_at,
  };
}
