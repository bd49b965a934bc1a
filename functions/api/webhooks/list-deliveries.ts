import { listDeliveriesRoute } from "#shared/api/webhooks/deliveries.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listDeliveries } from "#shared/webhooks/delivery-store.ts";
import { getWebhookChannel } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = endpoint(listDeliveriesRoute, async ({ principal, params, query }) => {
  await getWebhookChannel(principal, params.channel_id);
  const page = await listDeliveries(principal, params.channel_id, query);
  return pageReply("deliveries", page, query.limit);
});
