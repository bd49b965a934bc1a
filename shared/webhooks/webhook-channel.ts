import { pathOf } from "../api/define-route.ts";
import { ingestAlertRoute, type WebhookChannel } from "../api/webhooks/webhooks.ts";
import type { StoredWebhookChannel } from "./webhook-channel-store.ts";

/** Returns the path to which alerts for a channel are posted. */
export function webhookPath(channelId: string): string {
  return pathOf(ingestAlertRoute, { channel_id: channelId });
}

/** Returns the fields of a channel that administrators see, without its secrets. */
export function toWebhookChannel(channel: StoredWebhookChannel, baseUrl: string): WebhookChannel {
  const { channel_id, conversation_id, signature_scheme, paths, investigate, write_back, slack, teams, created_at } =
    channel;
  return {
    channel_id,
    registered: true,
    has_conversation_mapping: conversation_id !== null,
    conversation_id,
    webhook_url: webhookPath(channel_id),
    url: `${baseUrl}${webhookPath(channel_id)}`,
    signature_scheme,
    paths,
    investigate,
    write_back,
    slack,
    teams,
    created_at,
  };
}
