import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { MAX_DELAY_SECONDS, sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";

/** Queue message that makes an attempt to deliver an event. */
export interface DeliveryJob extends TenantScope {
  readonly endpointId: string;
  readonly deliveryId: string;
}

/**
 * Schedules an attempt. The queue groups messages by endpoint, so that a slow endpoint does not delay others.
 * @param delaySeconds delay before the attempt, which `deliver-event.ts` chooses: its `pauses` are the retry intervals
 */
export async function scheduleDelivery(
  { tenantId, endpointId, deliveryId }: DeliveryJob,
  delaySeconds = 0,
): Promise<void> {
  const { DELIVER_EVENT_QUEUE_URL } = env("DELIVER_EVENT_QUEUE_URL");
  const body = JSON.stringify({ tenantId, endpointId, deliveryId });
  await sendToQueue(DELIVER_EVENT_QUEUE_URL, body, Math.min(delaySeconds, MAX_DELAY_SECONDS), endpointId);
}
