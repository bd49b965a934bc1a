import { sendToQueue } from "../lib/aws/sqs.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";

/** A paused run, and the approval whose decision lets it go on. */
export interface DecidedRun extends TenantScope {
  readonly messageId: string;
  readonly approvalId: string;
}

/** Has a paused run gone on with. */
export async function scheduleContinuation(decided: DecidedRun): Promise<void> {
  await sendToQueue(env("CONTINUE_RUN_QUEUE_URL").CONTINUE_RUN_QUEUE_URL, JSON.stringify(decided));
}
