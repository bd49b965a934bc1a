import { sendToQueue } from "../../lib/aws/sqs.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { env } from "../../lib/env.ts";

/** A deletion to be carried out. */
export interface DeletionJob extends TenantScope {
  readonly id: string;
}

/** Has a deletion carried out, or gone on with. */
export async function scheduleDeletion({ tenantId, id }: DeletionJob): Promise<void> {
  await sendToQueue(env("DELETE_DATA_QUEUE_URL").DELETE_DATA_QUEUE_URL, JSON.stringify({ tenantId, id }));
}
