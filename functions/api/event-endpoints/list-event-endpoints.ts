import { listEventEndpointsRoute } from "#shared/api/events/event-endpoints.ts";
import { listEndpoints } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listEventEndpointsRoute, async ({ principal, query }) => {
  return pageReply("endpoints", await listEndpoints(principal, query), query.limit);
});
