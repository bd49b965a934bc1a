import { getEventEndpointRoute } from "#shared/api/events/event-endpoints.ts";
import { getEventEndpoint, toEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getEventEndpointRoute, async ({ principal, params }) =>
  toEventEndpoint(await getEventEndpoint(principal, params.id)),
);
