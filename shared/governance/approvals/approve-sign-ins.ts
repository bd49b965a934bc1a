import { ConditionFailed, ignoreConditionFailed } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { timestamp } from "../../lib/clock.ts";
import { oldestPending, scanRequestedApprovals } from "./approval-list.ts";
import { readApproval, type StoredApproval, transitionWrite } from "./approval-store.ts";
import { applyConfirmation } from "./approval-transitions.ts";

/**
 * Approves all calls of a user that wait for a sign-in to a tool server, so that their answers continue. Those that were decided
 * or canceled at the same time stay as they are.
 */
export async function approveSignIns(member: UserScope, serverId: string): Promise<void> {
  const { userId } = member;
  const waiting: StoredApproval[] = [];
  for await (const item of scanRequestedApprovals(member, { status: "pending" })) {
    const approval = readApproval(item);
    if (approval.created_at < oldestPending()) break;
    if (approval.run?.is_sign_in && approval.run.tool?.server_id === serverId) waiting.push(approval);
  }
  const confirmation = { decision: "approve", by: userId, at: timestamp() } as const;
  const onConflict = () => new ConditionFailed(undefined);
  await Promise.all(
    waiting.map((approval) =>
      tenantTable(member)
        .write(transitionWrite(member, applyConfirmation(approval, confirmation), onConflict))
        .catch(ignoreConditionFailed),
    ),
  );
}
