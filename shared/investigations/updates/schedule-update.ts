import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";
import type { UpdateRef } from "./update-store.ts";

/** Message that makes the job write an update. */
export interface UpdateJob extends TenantScope {
  readonly update: UpdateRef;
}

/** Longest delay of a message in SQS; a later attempt is delayed several times. */
export const MAX_DELAY_SECONDS = 900;

/** Enqueues an attempt, in the queue of events that are sent. */
export async function scheduleUpdate({ tenantId, update }: UpdateJob, delaySeconds = 0): Promise<void> {
  const { DELIVER_EVENT_QUEUE_URL } = env("DELIVER_EVENT_QUEUE_URL");
  const { id, investigation_id } = update;
  const body = JSON.stringify({ tenantId, update: { id, investigation_id } });
  await sendToQueue(DELIVER_EVENT_QUEUE_URL, body, Math.min(delaySeconds, MAX_DELAY_SECONDS), investigation_id);
}
