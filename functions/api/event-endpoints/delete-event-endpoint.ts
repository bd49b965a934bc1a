import { deleteEventEndpointRoute } from "#shared/api/events/event-endpoints.ts";
import { eventEndpointDeletion } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteEventEndpointRoute, async ({ principal, params, commit }) =>
  commit(undefined, eventEndpointDeletion(principal, params.id)),
);
