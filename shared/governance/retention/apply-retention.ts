import { sendToQueue } from "../../lib/aws/sqs.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import { retainSome, type TenantPosition } from "./retention-store.ts";

/** A tenant whose policy has changed, and how far that has been applied. */
export interface RetentionJob extends TenantScope {
  readonly from: TenantPosition;
}

/** Seconds after which the index knows of every conversation that was there when the policy changed. */
const indexLag = 2;

/** Has a tenant's retention applied to all of its conversations, or gone on with. */
export async function scheduleRetention(job: RetentionJob, delay = indexLag): Promise<void> {
  await sendToQueue(env("APPLY_RETENTION_QUEUE_URL").APPLY_RETENTION_QUEUE_URL, JSON.stringify(job), delay);
}

/** How long one go may take, in milliseconds; what is left over is for another one. */
const oneGo = 30_000;

/** Applies the retention that holds now to a tenant's conversations; done twice it changes nothing. */
export async function applyRetention({ tenantId, from }: RetentionJob): Promise<void> {
  const startedAt = now();
  for (let position: TenantPosition | null = from; position; ) {
    if (now() - startedAt > oneGo) return scheduleRetention({ tenantId, from: position }, 0);
    position = await retainSome({ tenantId }, position);
  }
}
