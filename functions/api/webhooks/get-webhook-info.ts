import { getWebhookInfoRoute } from "#shared/api/channels/webhooks.ts";
import { getChannel } from "#shared/channels/channel-store.ts";
import { toWebhookChannel } from "#shared/channels/webhook-channel.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getWebhookInfoRoute, async ({ principal, params, baseUrl }) =>
  toWebhookChannel(await getChannel(principal, params.channel_id), baseUrl),
);
