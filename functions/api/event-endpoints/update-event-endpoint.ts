import { updateEventEndpointRoute } from "#shared/api/events/event-endpoints.ts";
import { sealTarget } from "#shared/events/check-target.ts";
import { eventEndpointChange, getEventEndpoint, toEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(
  updateEventEndpointRoute,
  async ({ principal, params, body: { headers, ...body }, commit }) => {
    const stored = await getEventEndpoint(principal, params.id);
    const target = { ...stored, ...body };
    const sealedSecrets = await sealTarget(target, headers, stored);
    const include_content = target.include_content && target.format === "otlp";
    const changes = { ...body, ...sealedSecrets, include_content, ...(body.enabled && { disabled_reason: null }) };
    return commit(toEventEndpoint({ ...stored, ...changes }), eventEndpointChange(principal, params.id, changes));
  },
);
