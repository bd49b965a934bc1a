import type { Approval, DecidedConversation } from "../../api/governance/approvals.ts";
import { authorizeConversation } from "../../conversations/authorize-conversation.ts";
import { readBranchEnd } from "../../conversations/branch-end.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { isDecidedBy } from "./approval-transitions.ts";

/** Operations that pass the content of a conversation on, so that their approver has to know it. */
const disclosingOperations: ReadonlySet<string> = new Set(["createShareLink", "exportConversation"]);

/** Number of messages that approvers see, and of characters of each. */
const limits = { messages: 20, characters: 4_000 };

/**
 * Returns the end of the conversation that a pending request would disclose, for its approver; null if the request discloses none, or
 * if the requester can no longer read it.
 */
export async function findDecidedConversation(
  approver: UserScope,
  approval: Approval,
): Promise<DecidedConversation | null> {
  const { action, requested_by } = approval;
  if (!isDecidedBy(approver, approval) || !disclosingOperations.has(action.operation)) return null;
  const requester = { tenantId: approver.tenantId, userId: requested_by };
  try {
    const conversation = await authorizeConversation(requester, String(action.params.conversation_id), "READ");
    const { title, message_count } = conversation;
    return { title, message_count, messages: await readBranchEnd(requester, conversation, limits) };
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
