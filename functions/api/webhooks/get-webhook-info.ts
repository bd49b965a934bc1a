import { getWebhookInfoRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getChannel } from "#shared/webhooks/channel-store.ts";
import { toWebhookChannel } from "#shared/webhooks/webhook-channel.ts";

export const handler = endpoint(getWebhookInfoRoute, async ({ principal, params, baseUrl }) =>
  toWebhookChannel(await getChannel(principal, params.channel_id), baseUrl),
);
