import { createEventEndpointRoute } from "#shared/api/events/event-endpoints.ts";
import { sealTarget } from "#shared/events/check-target.ts";
import { assertRoomForEventEndpoint, newEventEndpointWrite, toEventEndpoint } from "#shared/events/endpoint-store.ts";
import { createEndpointSecret, revealEndpointSecret } from "#shared/events/event-secret.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";

export const handler = secretEndpoint(
  createEventEndpointRoute,
  async ({ principal, body: { headers, ...body }, commit }) => {
    await assertRoomForEventEndpoint(principal);
    const id = newId();
    const sealedSecrets = await sealTarget({ ...body, id }, headers);
    const { sealed_secret, public_key, hash } = await createEndpointSecret(principal, id, 1);
    const endpoint = {
      ...body,
      ...sealedSecrets,
      id,
      include_content: body.include_content && body.format === "otlp",
      enabled: true,
      disabled_reason: null,
      secret_version: 1,
      sealed_secret,
      public_key,
      previous_sealed_secret: null,
      previous_secret_valid_until: null,
      created_at: timestamp(),
    };
    return commit({ endpoint: toEventEndpoint(endpoint), hash }, newEventEndpointWrite(principal, endpoint));
  },
  async ({ endpoint, hash }, { tenant_id }) => {
    return { ...endpoint, secret: await revealEndpointSecret(tenant_id, endpoint.id, 1, hash) };
  },
);
