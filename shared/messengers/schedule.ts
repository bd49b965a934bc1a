import type { MessengerEventRef } from "../api/messengers/event-ref.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";

/** Queue message for processing an event of a messenger. */
export interface MessengerJob extends TenantScope {
  readonly messengerEvent: MessengerEventRef;
  /**
   * `start` processes a new event, `finish` posts the end of a stored answer, `approval` posts a request for a
   * decision.
   */
  readonly step: "start" | "finish" | "approval";
  readonly approvalId?: string;
}

/**
 * Delays in seconds of the queue messages for each step. SQS repeats the message of a function that died only after the
 * longest run could have ended, so a second message does the work if the first one did not. The function that streams
 * an answer normally posts its end before the first `finish`.
 */
const delays: Readonly<Record<MessengerJob["step"], readonly number[]>> = {
  start: [0, 60],
  finish: [10, 150],
  approval: [0],
};

/**
 * Schedules a step in the queue of runs to resume, whose function answers the messages of messengers.
 * @param delaysSeconds delays; one queue message is sent for each
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
