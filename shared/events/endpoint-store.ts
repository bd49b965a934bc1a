import * as v from "valibot";
import type { EventType } from "../api/events/event-data.ts";
import { EventEndpoint, MAX_EVENT_ENDPOINTS } from "../api/events/event-endpoints.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, exists, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { changedConcurrently, notFound, requireFound, ServiceError } from "../lib/errors.ts";
import { coalesceRequests } from "../lib/request-coalescer.ts";

const StoredEndpoint = v.object({
  ...EventEndpoint.entries,
  /** Version number from which the secret is derived. Each rotation increments it. */
  secret_version: v.number(),
  /** Signing secret and private key, separated by a space, encrypted with the endpoint's id as context. */
  sealed_secret: v.string(),
  previous_sealed_secret: v.nullable(v.string()),
  /** Request headers for an OpenTelemetry collector, encrypted for this endpoint and its host. */
  sealed_headers: v.nullable(v.string()),
});
export type StoredEventEndpoint = v.InferOutput<typeof StoredEndpoint>;

const readEndpoint = itemReader(StoredEndpoint);

/** Returns the fields of an endpoint that clients receive, without its secrets. */
export const toEventEndpoint = (stored: StoredEventEndpoint): EventEndpoint => v.parse(EventEndpoint, stored);

export const newEventEndpointWrite = (scope: TenantScope, endpoint: StoredEventEndpoint): Write => ({
  put: {
    ...keys.eventEndpoint(scope.tenantId, endpoint.id),
    discriminator: "event-endpoint",
    timestamp: now(),
    ...endpoint,
  },
  condition: absent(),
});

/** @throws ServiceError `conflict` if the tenant already has the maximum number of endpoints */
export async function assertRoomForEventEndpoint(scope: TenantScope): Promise<void> {
  if ((await listAll(scope)).length < MAX_EVENT_ENDPOINTS) return;
  throw new ServiceError("conflict", `There are ${MAX_EVENT_ENDPOINTS} endpoints already; delete one first.`);
}

export async function findEventEndpoint(scope: TenantScope, id: string): Promise<StoredEventEndpoint | undefined> {
  const item = await tenantTable(scope).get(keys.eventEndpoint(scope.tenantId, id), { consistent: true });
  return item && readEndpoint(item);
}

/** @throws ServiceError `not_found` */
export async function getEventEndpoint(scope: TenantScope, id: string): Promise<StoredEventEndpoint> {
  return requireFound(await findEventEndpoint(scope, id));
}

async function listAll(scope: TenantScope): Promise<StoredEventEndpoint[]> {
  const { pk } = keys.eventEndpoint(scope.tenantId, "");
  return (await tenantTable(scope).query({ pk, limit: MAX_EVENT_ENDPOINTS + 1, consistent: true })).map(readEndpoint);
}

/** @throws ServiceError `invalid_cursor` */
export async function listEventEndpoints(scope: TenantScope, request: PageRequest): Promise<Page<EventEndpoint>> {
  const { pk } = keys.eventEndpoint(scope.tenantId, "");
  return mapPage(await listPage(scope, { list: "event-endpoints", pk, descending: true }, request), (item) =>
    toEventEndpoint(readEndpoint(item)),
  );
}

/** Returns the write that changes an endpoint. Fails with `not_found` if it was deleted. */
export const eventEndpointChange = (scope: TenantScope, id: string, set: Partial<StoredEventEndpoint>): Write => ({
  update: keys.eventEndpoint(scope.tenantId, id),
  set: { ...set, timestamp: now() },
  condition: exists(notFound),
});

/** Returns the write that replaces the secret of an endpoint. Fails with `conflict` if another rotation was faster. */
export const eventEndpointRotation = (
  scope: TenantScope,
  { id, secret_version }: StoredEventEndpoint,
  set: Partial<StoredEventEndpoint>,
): Write => ({
  ...eventEndpointChange(scope, id, set),
  condition: equals({ secret_version }, () => changedConcurrently("The endpoint")),
});

export const eventEndpointDeletion = (scope: TenantScope, id: string): Write => ({
  delete: keys.eventEndpoint(scope.tenantId, id),
  condition: exists(notFound),
});

/**
 * Disables an endpoint whose receiver has responded with the status 410 (Gone). Does nothing if the endpoint was
 * deleted.
 */
export async function disableGoneEventEndpoint(scope: TenantScope, id: string): Promise<void> {
  await tenantTable(scope)
    .write({
      ...eventEndpointChange(scope, id, { enabled: false, disabled_reason: "gone" }),
      condition: exists(),
    })
    .catch(ignoreConditionFailed);
}

/** Reads the endpoints of a tenant once for all changes of a batch, after the changes happened. */
const readEndpoints = coalesceRequests<TenantScope, StoredEventEndpoint[]>(
  async (scopes) => {
    const endpoints = await listAll(scopes[0] as TenantScope);
    return scopes.map(() => endpoints);
  },
  { groupBy: ({ tenantId }) => tenantId, joinsConcurrentCalls: true },
);

/** Returns the enabled endpoints that subscribe to an event type. */
export const listSubscribers = async (scope: TenantScope, type: EventType): Promise<StoredEventEndpoint[]> =>
  (await readEndpoints(scope)).filter(({ enabled, types }) => enabled && types.includes(type));
