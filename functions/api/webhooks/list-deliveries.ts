import { listDeliveries } from "#shared/api/channels/webhooks.ts";
import * as webhooks from "#shared/channels/webhook-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listDeliveries, async ({ principal, params, query }) => {
  await webhooks.getChannel(principal, params.channel_id);
  const { entries, next } = await webhooks.listDeliveries(principal, params.channel_id, query);
  return { deliveries: [...entries], limit: query.limit, next_cursor: next };
});
