import type { Approval, DecidedConversation } from "../../api/governance/approvals.ts";
import { authorizeConversation } from "../../conversations/authorize-conversation.ts";
import { readBranchEnd } from "../../conversations/branch-end.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { isDecidedBy } from "./approval-transitions.ts";

/** Operations that disclose a conversation. An approver must see its content to decide. */
const disclosingOperations: ReadonlySet<string> = new Set(["createShareLink", "exportConversation"]);

/** Maximum number of messages that an approver sees, and of characters per message. */
const limits = { messages: 20, characters: 4_000 };

/**
 * Returns the latest messages of the conversation that a pending request would disclose, for its approver. Null if the
 * request discloses none, or if the requester can no longer read the conversation.
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
