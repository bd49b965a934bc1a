import { deleteEventEndpointRoute } from "#shared/api/events/event-endpoints.ts";
import { endpointDeletion } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteEventEndpointRoute, async ({ principal, params, commit }) =>
  commit(undefined, endpointDeletion(principal, params.id)),
);
