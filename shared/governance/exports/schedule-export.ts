import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { env } from "../../lib/env.ts";

/** Queue message that starts or continues an export. */
export interface ExportJob extends UserScope {
  readonly id: string;
}

export async function scheduleExport({ tenantId, userId, id }: ExportJob): Promise<void> {
  await sendToQueue(env("BUILD_EXPORT_QUEUE_URL").BUILD_EXPORT_QUEUE_URL, JSON.stringify({ tenantId, userId, id }));
}
