import { updateEventEndpoint } from "#shared/api/events/event-endpoints.ts";
import { endpointChange, getEndpoint, toEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateEventEndpoint, async ({ principal, params, body, commit }) => {
  const stored = await getEndpoint(principal, params.id);
  const changes = { ...body, ...(body.enabled && { disabled_reason: null }) };
  return commit(toEventEndpoint({ ...stored, ...changes }), endpointChange(principal, params.id, changes));
});
