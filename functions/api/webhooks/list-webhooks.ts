import { listWebhooks } from "#shared/api/webhooks.ts";
import { listChannels } from "#shared/data/webhook-store.ts";
import { channelInfo } from "#shared/domain/webhook-channel.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listWebhooks, async ({ principal, query }) => {
  const { entries, next } = await listChannels(principal, query);
  return { webhooks: entries.map(channelInfo), limit: query.limit, next_cursor: next };
});
