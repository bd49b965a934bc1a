import { removeWebhookRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { removeWebhookChannel } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = endpoint(removeWebhookRoute, ({ principal, params }) =>
  removeWebhookChannel(principal, params.channel_id),
);
