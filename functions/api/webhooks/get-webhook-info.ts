import { getWebhookInfoRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { toWebhookChannel } from "#shared/webhooks/webhook-channel.ts";
import { getWebhookChannel } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = endpoint(getWebhookInfoRoute, async ({ principal, params, baseUrl }) =>
  toWebhookChannel(await getWebhookChannel(principal, params.channel_id), baseUrl),
);
