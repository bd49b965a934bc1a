import { getWebhookInfo } from "#shared/api/channels/webhooks.ts";
import { channelInfo } from "#shared/channels/webhook-channel.ts";
import { getChannel } from "#shared/channels/webhook-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getWebhookInfo, async ({ principal, params }) =>
  channelInfo(await getChannel(principal, params.channel_id)),
);
