import { replayEventDeliveryRoute } from "#shared/api/events/event-endpoints.ts";
import { requestEventDelivery } from "#shared/events/delivery-store.ts";
import { getEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(replayEventDeliveryRoute, async ({ principal, params }) => {
  const { id } = await getEventEndpoint(principal, params.id);
  const delivery = await requestEventDelivery(principal, id, params.delivery_id);
  if (!delivery) throw notFound();
  return delivery;
});
