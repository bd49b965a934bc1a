import { listDeliveriesRoute } from "#shared/api/webhooks/deliveries.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { getChannel } from "#shared/webhooks/channel-store.ts";
import { listDeliveries } from "#shared/webhooks/delivery-store.ts";

export const handler = endpoint(listDeliveriesRoute, async ({ principal, params, query }) => {
  await getChannel(principal, params.channel_id);
  const page = await listDeliveries(principal, params.channel_id, query);
  return pageReply("deliveries", page, query.limit);
});
