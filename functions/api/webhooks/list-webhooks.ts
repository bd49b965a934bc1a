import { listWebhooks } from "#shared/api/channels/webhooks.ts";
import { channelInfo } from "#shared/channels/webhook-channel.ts";
import { listChannels } from "#shared/channels/webhook-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listWebhooks, async ({ principal, query }) => {
  const { entries, next } = await listChannels(principal, query);
  return pageReply("webhooks", { entries: entries.map(channelInfo), next }, query.limit);
});
