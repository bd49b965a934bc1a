import { listDeliveries } from "#shared/api/channels/webhooks.ts";
import * as webhooks from "#shared/channels/webhook-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listDeliveries, async ({ principal, params, query }) => {
  await webhooks.getChannel(principal, params.channel_id);
  const page = await webhooks.listDeliveries(principal, params.channel_id, query);
  return pageReply("deliveries", page, query.limit);
});
