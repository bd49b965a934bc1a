import { listDeliveriesRoute } from "#shared/api/channels/deliveries.ts";
import { getChannel } from "#shared/channels/channel-store.ts";
import { listDeliveries } from "#shared/channels/delivery-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listDeliveriesRoute, async ({ principal, params, query }) => {
  await getChannel(principal, params.channel_id);
  const page = await listDeliveries(principal, params.channel_id, query);
  return pageReply("deliveries", page, query.limit);
});
