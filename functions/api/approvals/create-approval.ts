import { createApprovalRoute } from "#shared/api/governance/approvals.ts";
import { newLinkIdentity } from "#shared/conversations/sharing/verify-share-link.ts";
import { assertOperationType, validateParams } from "#shared/governance/approvals/approvable-actions.ts";
import { newApproval, newApprovalWrites } from "#shared/governance/approvals/approval-store.ts";
import { approveByPolicy } from "#shared/governance/approvals/approval-transitions.ts";
import { authorizeApprovalRequest } from "#shared/governance/approvals/execute-approved-action.ts";
import { requiresApproval } from "#shared/governance/approvals/require-approval.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createApprovalRoute, async ({ principal, rights, body, commit }) => {
  const { type } = body;
  assertOperationType(type, body.action.operation);
  const action = { ...body.action, params: validateParams(body.action, "action.params") };
  const [{ permissions }, policy] = await Promise.all([rights(), getCurrentPolicy(principal)]);
  await authorizeApprovalRequest(principal, action, permissions);
  const requested = newApproval(principal.userId, { ...body, action });
  // Access to another user's data always begins with a request. It is approved immediately if the policy requires no
  // approval. The policy cannot waive the approval of an erasure.
  const decidedByPolicy =
    action.operation === "readConversation" && !requiresApproval(policy, type) ? approveByPolicy(requested) : requested;
  const approval = type === "share" ? { ...decidedByPolicy, link: await newLinkIdentity() } : decidedByPolicy;
  return commit(approval, ...newApprovalWrites(principal, approval));
});
