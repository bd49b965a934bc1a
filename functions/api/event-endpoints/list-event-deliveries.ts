import { listEventDeliveriesRoute } from "#shared/api/events/event-endpoints.ts";
import { listDeliveriesTo } from "#shared/events/delivery-store.ts";
import { getEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listEventDeliveriesRoute, async ({ principal, params, query }) => {
  const { id } = await getEventEndpoint(principal, params.id);
  return pageReply("deliveries", await listDeliveriesTo(principal, id, query), query.limit);
});
