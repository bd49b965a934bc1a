import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";

/** Queue message that starts or continues a data deletion. */
export interface DeletionJob extends TenantScope {
  readonly id: string;
}

export async function scheduleDeletion({ tenantId, id }: DeletionJob): Promise<void> {
  await sendToQueue(env("DELETE_DATA_QUEUE_URL").DELETE_DATA_QUEUE_URL, JSON.stringify({ tenantId, id }));
}
