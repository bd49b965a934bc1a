import { sendToQueue } from "../../lib/aws/sqs.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { env } from "../../lib/env.ts";

/** An export to be put together. */
export interface ExportJob extends UserScope {
  readonly id: string;
}

/** Has an export put together, or gone on with. */
export async function scheduleExport({ tenantId, userId, id }: ExportJob): Promise<void> {
  await sendToQueue(env("BUILD_EXPORT_QUEUE_URL").BUILD_EXPORT_QUEUE_URL, JSON.stringify({ tenantId, userId, id }));
}
