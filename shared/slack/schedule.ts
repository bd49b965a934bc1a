import type { SlackEventRef } from "../api/slack/event-ref.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";

/** Work on a message or button press of Slack. */
export interface SlackJob extends TenantScope {
  readonly slack: SlackEventRef;
  /** `start` answers a message or applies a decision, `finish` posts a stored answer, `approval` asks for a decision. */
  readonly step: "start" | "finish" | "approval";
  readonly approvalId?: string;
}

/**
 * Delays of the messages for each step in seconds. The queue returns the message of a killed function only after the longest
 * run could have ended, so that a second message does what the first one has not. The function that streams an answer posts
 * its end itself, before the first `finish`.
 */
const delays: Readonly<Record<SlackJob["step"], readonly number[]>> = {
  start: [0, 60],
  finish: [10, 150],
  approval: [0],
};

/** Enqueues work in the queue of runs that continue: answers need what they have. */
export async function scheduleSlackJob({ tenantId, slack, step, approvalId }: SlackJob): Promise<void> {
  const { workspace_id, event_id } = slack;
  const job: SlackJob = { tenantId, slack: { workspace_id, event_id }, step, ...(approvalId && { approvalId }) };
  const { CONTINUE_RUN_QUEUE_URL } = env("CONTINUE_RUN_QUEUE_URL");
  await Promise.all(delays[step].map((delay) => sendToQueue(CONTINUE_RUN_QUEUE_URL, JSON.stringify(job), delay)));
}
