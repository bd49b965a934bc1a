import { listWebhooksRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { toWebhookChannel } from "#shared/webhooks/webhook-channel.ts";
import { listWebhookChannels } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = endpoint(listWebhooksRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listWebhookChannels(principal, query);
  const webhooks = entries.map((channel) => toWebhookChannel(channel, baseUrl));
  return pageReply("webhooks", { entries: webhooks, next }, query.limit);
});
