import { listEventEndpointsRoute } from "#shared/api/events/event-endpoints.ts";
import { listEventEndpoints } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listEventEndpointsRoute, async ({ principal, query }) => {
  return pageReply("endpoints", await listEventEndpoints(principal, query), query.limit);
});
