import { updateEventEndpoint } from "#shared/api/events/event-endpoints.ts";
import { sealRoutingKey } from "#shared/events/check-target.ts";
import { endpointChange, getEndpoint, toEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(
  updateEventEndpoint,
  async ({ principal, params, body: { routing_key, ...body }, commit }) => {
    const stored = await getEndpoint(principal, params.id);
    const sealed_routing_key = await sealRoutingKey({ ...stored, ...body }, routing_key, stored);
    const changes = { ...body, sealed_routing_key, ...(body.enabled && { disabled_reason: null }) };
    return commit(toEventEndpoint({ ...stored, ...changes }), endpointChange(principal, params.id, changes));
  },
);
