import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { MAX_DELAY_SECONDS, sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";
import type { UpdateRef } from "./update-store.ts";

/** Queue message that sends an update to a monitoring tool. */
export interface UpdateJob extends TenantScope {
  readonly update: UpdateRef;
}

/** Schedules an attempt to send an update, in the queue of outgoing events. */
export async function scheduleUpdate({ tenantId, update }: UpdateJob, delaySeconds = 0): Promise<void> {
  const { DELIVER_EVENT_QUEUE_URL } = env("DELIVER_EVENT_QUEUE_URL");
  const { id, investigation_id } = update;
  const body = JSON.stringify({ tenantId, update: { id, investigation_id } });
  await sendToQueue(DELIVER_EVENT_QUEUE_URL, body, Math.min(delaySeconds, MAX_DELAY_SECONDS), investigation_id);
}
