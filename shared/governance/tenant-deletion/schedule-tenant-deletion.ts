import { sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";

/** Message that starts or continues the deletion of a tenant, in the same queue as data deletions. */
export interface TenantDeletionJob {
  readonly tenantId: string;
  readonly isTenant: true;
}

export async function scheduleTenantDeletion(tenantId: string, delaySeconds = 0): Promise<void> {
  const message: TenantDeletionJob = { tenantId, isTenant: true };
  await sendToQueue(env("DELETE_DATA_QUEUE_URL").DELETE_DATA_QUEUE_URL, JSON.stringify(message), delaySeconds);
}
