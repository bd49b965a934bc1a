import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";

/** Message that makes the job attempt a delivery. */
export interface DeliveryJob extends TenantScope {
  readonly endpointId: string;
  readonly deliveryId: string;
}

/** Longest delay of a message in SQS; a later attempt is delayed several times. */
export const MAX_DELAY_SECONDS = 900;

/** Enqueues an attempt. Attempts for one endpoint do not delay those for others. */
export async function scheduleDelivery(
  { tenantId, endpointId, deliveryId }: DeliveryJob,
  delaySeconds = 0,
): Promise<void> {
  const { DELIVER_EVENT_QUEUE_URL } = env("DELIVER_EVENT_QUEUE_URL");
  const body = JSON.stringify({ tenantId, endpointId, deliveryId });
  await sendToQueue(DELIVER_EVENT_QUEUE_URL, body, Math.min(delaySeconds, MAX_DELAY_SECONDS), endpointId);
}
