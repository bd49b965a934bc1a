import type { Change } from "../changes/processor.ts";
import { scopeFromKey } from "../dynamodb/tenant-scope.ts";
import { recordEventDelivery } from "./delivery-store.ts";
import { listSubscribers } from "./endpoint-store.ts";
import { scheduleDelivery } from "./schedule-delivery.ts";
import { toEvents } from "./to-event.ts";

/** Stores the events that follow from a change of an item, one delivery for each subscribed endpoint. */
export async function emitEvents(change: Change): Promise<void> {
  for (const event of toEvents(change)) {
    const scope = scopeFromKey(String(change.after?.pk));
    const subscribers = await listSubscribers(scope, event.type);
    await Promise.all(subscribers.map(({ id }) => recordEventDelivery(scope, id, event)));
  }
}

/** Schedules the first attempt of a delivery after it was requested by an event, a test or a replay. */
export async function scheduleRequestedDelivery({ before, after }: Change): Promise<void> {
  if (after?.status !== "pending" || after.requested_at === before?.requested_at) return;
  const { tenantId } = scopeFromKey(String(after.pk));
  await scheduleDelivery({ tenantId, endpointId: String(after.endpoint_id), deliveryId: String(after.id) });
}
