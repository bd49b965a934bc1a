import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { findInvestigation, type InvestigationRef } from "./investigation-store.ts";
import type { ReplayRef } from "./replay-store.ts";

/** Message that makes the job start the next investigations of a tenant, as far as it has places. */
export interface StartJob extends TenantScope {
  readonly startsInvestigations: true;
}

/** Message that makes the watchdog look after an investigation that waits for its start. */
export interface WaitingInvestigation extends TenantScope {
  readonly investigation: InvestigationRef;
}

/** Message that makes the job replay an investigation. */
export interface ReplayJob extends TenantScope {
  readonly replay: ReplayRef;
  readonly conversationId: string;
}

export async function scheduleReplay(job: ReplayJob): Promise<void> {
  await sendToQueue(env("CONTINUE_RUN_QUEUE_URL").CONTINUE_RUN_QUEUE_URL, JSON.stringify(job));
}

/** First check of a queued investigation, and the pause between later ones. */
const [FIRST_CHECK_SECONDS, CHECK_INTERVAL_SECONDS] = [20, 60];

/** Enqueues the start of the next investigations in the queue of runs that continue. */
export async function scheduleStart({ tenantId }: TenantScope): Promise<void> {
  const message: StartJob = { tenantId, startsInvestigations: true };
  await sendToQueue(env("CONTINUE_RUN_QUEUE_URL").CONTINUE_RUN_QUEUE_URL, JSON.stringify(message));
}

/** Schedules a check of a queued investigation: the function that was to start it may have died. */
export async function scheduleCheck(
  { tenantId }: TenantScope,
  { id, conversation_id }: InvestigationRef,
  delaySeconds = FIRST_CHECK_SECONDS,
): Promise<void> {
  const message: WaitingInvestigation = { tenantId, investigation: { id, conversation_id } };
  await sendToQueue(env("WATCH_RUN_QUEUE_URL").WATCH_RUN_QUEUE_URL, JSON.stringify(message), delaySeconds);
}

/** Requests the start of an investigation again for as long as it waits. */
export async function checkInvestigation({ tenantId, investigation }: WaitingInvestigation): Promise<void> {
  const scope = { tenantId };
  if ((await findInvestigation(scope, investigation))?.status !== "queued") return;
  await scheduleStart(scope);
  await scheduleCheck(scope, investigation, CHECK_INTERVAL_SECONDS);
}
