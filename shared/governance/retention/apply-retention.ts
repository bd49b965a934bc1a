import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import { type RetentionPosition, retainPage } from "./retention-store.ts";

/** Queue message that starts or continues the sweep over all conversations. `functions/changes/cascade` starts it. */
export interface RetentionJob extends TenantScope {
  readonly from: RetentionPosition;
}

/**
 * Delay of a new sweep, after which the eventually consistent index contains every conversation that existed when the
 * policy changed.
 */
const INDEX_LAG_SECONDS = 2;

/** Enqueues a sweep that applies the retention period to all conversations of a tenant, or its continuation. */
export async function scheduleRetention(job: RetentionJob, delaySeconds = INDEX_LAG_SECONDS): Promise<void> {
  await sendToQueue(env("APPLY_RETENTION_QUEUE_URL").APPLY_RETENTION_QUEUE_URL, JSON.stringify(job), delaySeconds);
}

/** Time after which a job stops and enqueues a message that continues it. */
const MAX_JOB_DURATION_MS = 30_000;

/**
 * Applies the current retention period to all conversations of a tenant, from a position on. A repeated call changes
 * nothing.
 */
export async function applyRetention({ tenantId, from }: RetentionJob): Promise<void> {
  const startedAtMs = now();
  for (let position: RetentionPosition | null = from; position; ) {
    if (now() - startedAtMs > MAX_JOB_DURATION_MS) return scheduleRetention({ tenantId, from: position }, 0);
    position = await retainPage({ tenantId }, position);
  }
}
