import { getWebhookInfo } from "#shared/api/webhooks.ts";
import { getChannel } from "#shared/data/webhook-store.ts";
import { channelInfo } from "#shared/domain/webhook-channel.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getWebhookInfo, async ({ principal, params }) =>
  channelInfo(await getChannel(principal, params.channel_id)),
);
