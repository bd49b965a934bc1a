import { EventDelivery } from "../api/events/event-endpoints.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, ignoreConditionFailed, isPerformed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, timestamp } from "../lib/clock.ts";
import type { ServiceEvent } from "./to-event.ts";

const RETENTION_SECONDS = 30 * 24 * 3_600;

const readDelivery = itemReader(EventDelivery);

/**
 * Stores an event for an endpoint, unless it is already stored. The rule `schedule-event-delivery` schedules the first
 * attempt of a pending delivery, so that a crash after this write loses none.
 */
export async function recordEventDelivery(
  scope: TenantScope,
  endpointId: string,
  event: ServiceEvent,
  status: "pending" | "delivered" = "pending",
): Promise<EventDelivery> {
  const id = `${event.at}~${event.id}`;
  const delivery: EventDelivery = {
    id,
    event_id: event.id,
    type: event.type,
    status,
    attempts: 0,
    next_attempt_at: status === "pending" ? event.at : null,
    response_status: null,
    error: null,
    payload: event.payload,
    created_at: timestamp(),
  };
  await tenantTable(scope)
    .write({
      put: {
        ...keys.eventDelivery(scope.tenantId, endpointId, id),
        discriminator: "event-delivery",
        ttl: expiresAfter(RETENTION_SECONDS),
        endpoint_id: endpointId,
        requested_at: event.at,
        ...delivery,
      },
      condition: absent(),
    })
    .catch(ignoreConditionFailed);
  return delivery;
}

/**
 * Marks a delivery as pending again, with new attempts.
 * @returns undefined if the delivery has expired
 */
export async function requestEventDelivery(
  scope: TenantScope,
  endpointId: string,
  id: string,
): Promise<EventDelivery | undefined> {
  const delivery = await findEventDelivery(scope, endpointId, id);
  if (!delivery) return undefined;
  const requested_at = timestamp();
  const set = { status: "pending", attempts: 0, next_attempt_at: requested_at, error: null } as const;
  const isChanged = await updateEventDelivery(scope, endpointId, delivery, { ...set, requested_at });
  return isChanged ? { ...delivery, ...set } : requestEventDelivery(scope, endpointId, id);
}

export async function findEventDelivery(
  scope: TenantScope,
  endpointId: string,
  id: string,
): Promise<EventDelivery | undefined> {
  const item = await tenantTable(scope).get(keys.eventDelivery(scope.tenantId, endpointId, id), { consistent: true });
  return item && readDelivery(item);
}

/**
 * Lists the deliveries to an endpoint, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listDeliveriesTo(
  scope: TenantScope,
  endpointId: string,
  request: PageRequest,
): Promise<Page<EventDelivery>> {
  const { pk } = keys.eventDelivery(scope.tenantId, endpointId, "");
  const list = { list: "event-deliveries", filters: { endpointId }, pk, descending: true };
  return mapPage(await listPage(scope, list, request), readDelivery);
}

/**
 * Changes a delivery after an attempt or for a replay.
 * @param attempts number of attempts before the change
 * @returns false if another attempt has changed the delivery, or it has expired
 */
export async function updateEventDelivery(
  scope: TenantScope,
  endpointId: string,
  { id, attempts }: Pick<EventDelivery, "id" | "attempts">,
  set: Partial<EventDelivery> & { readonly requested_at?: string },
): Promise<boolean> {
  return isPerformed(
    tenantTable(scope).write({
      update: keys.eventDelivery(scope.tenantId, endpointId, id),
      set,
      condition: equals({ attempts }),
    }),
  );
}
