import { rotateEventEndpointSecretRoute } from "#shared/api/events/event-endpoints.ts";
import { eventEndpointRotation, getEventEndpoint, toEventEndpoint } from "#shared/events/endpoint-store.ts";
import { createEndpointSecret, revealEndpointSecret } from "#shared/events/event-secret.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { now, timestamp } from "#shared/lib/clock.ts";

/** Time after a rotation during which events carry signatures of both the new and the previous secret. */
const OVERLAP_MS = 24 * 3_600_000;

export const handler = secretEndpoint(
  rotateEventEndpointSecretRoute,
  async ({ principal, params, commit }) => {
    const endpoint = await getEventEndpoint(principal, params.id);
    const secret_version = endpoint.secret_version + 1;
    const { sealed_secret, public_key, hash } = await createEndpointSecret(principal, endpoint.id, secret_version);
    const changes = {
      secret_version,
      sealed_secret,
      public_key,
      previous_sealed_secret: endpoint.sealed_secret,
      previous_secret_valid_until: timestamp(now() + OVERLAP_MS),
    };
    const rotated = toEventEndpoint({ ...endpoint, ...changes });
    const stored = { endpoint: rotated, version: secret_version, hash };
    return commit(stored, eventEndpointRotation(principal, endpoint, changes));
  },
  async ({ endpoint, version, hash }, { tenant_id }) => {
    return { ...endpoint, secret: await revealEndpointSecret(tenant_id, endpoint.id, version, hash) };
  },
);
