import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";

/** Queue message that continues the run of a test set. */
export interface TestRunJob extends TenantScope {
  readonly testRun: string;
  /** Job after whose death the run continues. Without it, the run continues now. */
  readonly after?: string;
}

/** Sends a job to the queue of runs to resume, whose function calls models. */
export async function scheduleTestRun(job: TestRunJob, delaySeconds = 0): Promise<void> {
  const { CONTINUE_RUN_QUEUE_URL } = env("CONTINUE_RUN_QUEUE_URL");
  await sendToQueue(CONTINUE_RUN_QUEUE_URL, JSON.stringify(job), delaySeconds);
}
