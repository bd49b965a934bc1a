import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";

/** Paused run whose approval was decided. */
export interface DecidedRun extends TenantScope {
  readonly messageId: string;
  readonly approvalId: string;
}

/** Paused run that another function resumes, because the one before had too little time left. */
export interface HandedOverRun extends TenantScope {
  readonly messageId: string;
  readonly handOverId: string;
}

export async function scheduleContinuation(run: DecidedRun | HandedOverRun): Promise<void> {
  await sendToQueue(env("CONTINUE_RUN_QUEUE_URL").CONTINUE_RUN_QUEUE_URL, JSON.stringify(run));
}
