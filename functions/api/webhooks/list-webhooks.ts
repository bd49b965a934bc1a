import { listWebhooksRoute } from "#shared/api/channels/webhooks.ts";
import { listChannels } from "#shared/channels/channel-store.ts";
import { toWebhookChannel } from "#shared/channels/webhook-channel.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listWebhooksRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listChannels(principal, query);
  const webhooks = entries.map((channel) => toWebhookChannel(channel, baseUrl));
  return pageReply("webhooks", { entries: webhooks, next }, query.limit);
});
