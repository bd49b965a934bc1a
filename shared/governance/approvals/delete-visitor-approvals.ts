import { keys } from "../../dynamodb/keys.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { scanRequestedApprovals } from "./approval-list.ts";
import { readApproval } from "./approval-store.ts";

/** Deletes what a visitor was asked in a session that is deleted. The audit trail keeps the decisions. */
export async function deleteVisitorApprovals(visitor: UserScope, conversationId: string): Promise<void> {
  const { tenantId, userId } = visitor;
  for await (const item of scanRequestedApprovals(visitor, {})) {
    const { id, run } = readApproval(item);
    if (run?.conversation_id !== conversationId) continue;
    await tenantTable(visitor).deleteMany([keys.approval(tenantId, id), keys.ownApproval(tenantId, userId, id)]);
  }
}
