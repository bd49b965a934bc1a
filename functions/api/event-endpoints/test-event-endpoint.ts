import { testEventEndpointRoute } from "#shared/api/events/event-endpoints.ts";
import { recordEventDelivery } from "#shared/events/delivery-store.ts";
import { getEventEndpoint } from "#shared/events/endpoint-store.ts";
import { renderPayload } from "#shared/events/to-event.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";

export const handler = endpoint(testEventEndpointRoute, async ({ principal, params }) => {
  const { id } = await getEventEndpoint(principal, params.id);
  const [type, at] = ["endpoint.test", timestamp()] as const;
  const payload = renderPayload(type, at, { endpoint_id: id, user_id: principal.userId });
  return recordEventDelivery(principal, id, { id: `evt_${newId()}`, type, at, payload });
});
