import type { ScheduleRunRef } from "../api/schedules/schedule-run-ref.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";

/** Queue message that starts a run of a schedule. */
export interface ScheduleRunJob extends TenantScope {
  readonly scheduleRun: ScheduleRunRef & { readonly owner_id: string };
}

/** Delays of the first attempt and of the retries, in seconds. */
const attemptDelays = [0, 60, 300, 900] as const;

/** Maximum delay of a message in SQS, in seconds. */
const MAX_DELAY_SECONDS = 900;

/**
 * Schedules an attempt of a run in the queue of runs to resume, whose function also starts those of schedules. As SQS repeats
 * the message of a function that died only after 90 minutes, a second message does the work if the first one did not.
 */
export async function scheduleAttempt(
  { tenantId, scheduleRun }: ScheduleRunJob,
  attempts: number,
  extraSeconds = 0,
): Promise<void> {
  const { schedule_id, scheduled_at, owner_id } = scheduleRun;
  const message: ScheduleRunJob = { tenantId, scheduleRun: { schedule_id, scheduled_at, owner_id } };
  const { CONTINUE_RUN_QUEUE_URL } = env("CONTINUE_RUN_QUEUE_URL");
  const first = (attemptDelays[attempts] ?? 0) + extraSeconds;
  const delays = [first, Math.min(first + 60, MAX_DELAY_SECONDS)];
  await Promise.all(delays.map((delay) => sendToQueue(CONTINUE_RUN_QUEUE_URL, JSON.stringify(message), delay)));
}
