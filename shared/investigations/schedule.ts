import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { findInvestigation, type InvestigationRef } from "./investigation-store.ts";

/** Queue message that starts queued investigations of a tenant. */
export interface StartJob extends TenantScope {
  readonly startsInvestigations: true;
}

/** Queue message that checks whether a queued investigation was started. */
export interface WaitingInvestigation extends TenantScope {
  readonly investigation: InvestigationRef;
}

/** Delay of the first check of a queued investigation, and interval between the later ones. */
const [FIRST_CHECK_SECONDS, CHECK_INTERVAL_SECONDS] = [20, 60];

/**
 * Schedules the start of queued investigations, in the queue of runs to resume, whose function also runs
 * investigations.
 */
export async function scheduleStart({ tenantId }: TenantScope): Promise<void> {
  const message: StartJob = { tenantId, startsInvestigations: true };
  await sendToQueue(env("CONTINUE_RUN_QUEUE_URL").CONTINUE_RUN_QUEUE_URL, JSON.stringify(message));
}

/** Schedules a check of a queued investigation, because the function that should start it may have died. */
export async function scheduleCheck(
  { tenantId }: TenantScope,
  { id, conversation_id }: InvestigationRef,
  delaySeconds = FIRST_CHECK_SECONDS,
): Promise<void> {
  const message: WaitingInvestigation = { tenantId, investigation: { id, conversation_id } };
  await sendToQueue(env("WATCH_RUN_QUEUE_URL").WATCH_RUN_QUEUE_URL, JSON.stringify(message), delaySeconds);
}

/** Schedules the start of an investigation again, and the next check, while it is still queued. */
export async function checkInvestigation({ tenantId, investigation }: WaitingInvestigation): Promise<void> {
  const scope = { tenantId };
  if ((await findInvestigation(scope, investigation))?.status !== "queued") return;
  await scheduleStart(scope);
  await scheduleCheck(scope, investigation, CHECK_INTERVAL_SECONDS);
}
