import {
  createEventEndpointRoute,
  deleteEventEndpointRoute,
  getEventEndpointRoute,
  listEventDeliveriesRoute,
  listEventEndpointsRoute,
  replayEventDeliveryRoute,
  rotateEventEndpointSecretRoute,
  testEventEndpointRoute,
  updateEventEndpointRoute,
} from "#shared/api/events/event-endpoints.ts";
import { sealTarget } from "#shared/events/check-target.ts";
import { listDeliveriesTo, recordEventDelivery, requestEventDelivery } from "#shared/events/delivery-store.ts";
import {
  assertRoomForEventEndpoint,
  eventEndpointChange,
  eventEndpointDeletion,
  eventEndpointRotation,
  getEventEndpoint,
  listEventEndpoints,
  newEventEndpointWrite,
  toEventEndpoint,
} from "#shared/events/endpoint-store.ts";
import { createEndpointSecret, revealEndpointSecret } from "#shared/events/event-secret.ts";
import { renderPayload } from "#shared/events/to-event.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { notFound } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";

export const createEventEndpointHandler = secretEndpoint(
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

export const deleteEventEndpointHandler = endpoint(deleteEventEndpointRoute, async ({ principal, params, commit }) =>
  commit(undefined, eventEndpointDeletion(principal, params.id)),
);

export const getEventEndpointHandler = endpoint(getEventEndpointRoute, async ({ principal, params }) =>
  toEventEndpoint(await getEventEndpoint(principal, params.id)),
);

export const listEventDeliveriesHandler = endpoint(listEventDeliveriesRoute, async ({ principal, params, query }) => {
  const { id } = await getEventEndpoint(principal, params.id);
  return pageReply("deliveries", await listDeliveriesTo(principal, id, query), query.limit);
});

export const listEventEndpointsHandler = endpoint(listEventEndpointsRoute, async ({ principal, query }) => {
  return pageReply("endpoints", await listEventEndpoints(principal, query), query.limit);
});

export const replayEventDeliveryHandler = endpoint(replayEventDeliveryRoute, async ({ principal, params }) => {
  const { id } = await getEventEndpoint(principal, params.id);
  const delivery = await requestEventDelivery(principal, id, params.delivery_id);
  if (!delivery) throw notFound();
  return delivery;
});

/** Time after a rotation during which events carry signatures of both the new and the previous secret. */
const OVERLAP_MS = 24 * 3_600_000;

export const rotateEventEndpointSecretHandler = secretEndpoint(
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

export const testEventEndpointHandler = endpoint(testEventEndpointRoute, async ({ principal, params }) => {
  const { id } = await getEventEndpoint(principal, params.id);
  const [type, at] = ["endpoint.test", timestamp()] as const;
  const payload = renderPayload(type, at, { endpoint_id: id, user_id: principal.userId });
  return recordEventDelivery(principal, id, { id: `evt_${newId()}`, type, at, payload });
});

export const updateEventEndpointHandler = endpoint(
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
