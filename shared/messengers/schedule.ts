import type { MessengerEventRef } from "../api/messengers/event-ref.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";

/** Work on a message or button press of a messenger. */
export interface MessengerJob extends TenantScope {
  readonly messengerEvent: MessengerEventRef;
  /** `start` answers a message or applies a decision, `finish` posts a stored answer, `approval` asks for a decision. */
  readonly step: "start" | "finish" | "approval";
  readonly approvalId?: string;
}

/**
 * Delays of the messages for each step in seconds. The queue returns the message of a killed function only after the longest
 * run could have ended, so that a second message does what the first one has not. The function that streams an answer posts
 * its end itself, before the first `finish`.
 */
const delays: Readonly<Record<MessengerJob["step"], readonly number[]>> = {
  start: [0, 60],
  finish: [10, 150],
  approval: [0],
};

/**
 * Enqueues work in the queue of runs that continue: answers need what they have.
 * @param delaysSeconds delay of each message
 */
export async function scheduleMessengerJob(
  { tenantId, messengerEvent, step, approvalId }: MessengerJob,
  delaysSeconds = delays[step],
): Promise<void> {
  const { messenger = "slack", workspace_id, event_id } = messengerEvent;
  const ref = { messenger, workspace_id, event_id };
  const job: MessengerJob = { tenantId, messengerEvent: ref, step, ...(approvalId && { approvalId }) };
  const { CONTINUE_RUN_QUEUE_URL } = env("CONTINUE_RUN_QUEUE_URL");
  await Promise.all(delaysSeconds.map((delay) => sendToQueue(CONTINUE_RUN_QUEUE_URL, JSON.stringify(job), delay)));
}
