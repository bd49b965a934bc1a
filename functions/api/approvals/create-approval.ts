import { createApproval } from "#shared/api/governance/approvals.ts";
import { newLinkIdentity } from "#shared/conversations/sharing/verify-share-link.ts";
import { checkedParams, checkOperation } from "#shared/governance/approvals/approvable-actions.ts";
import { needsSignOff, newApproval, newApprovalWrites } from "#shared/governance/approvals/approval-store.ts";
import { approvedByPolicy } from "#shared/governance/approvals/approvals.ts";
import { checkRequest } from "#shared/governance/approvals/execute-approved-action.ts";
import { policyOf } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createApproval, async ({ principal, rights, body, commit }) => {
  const { type } = body;
  checkOperation(type, body.action.operation);
  const action = { ...body.action, params: checkedParams(body.action, "action.params") };
  const [{ permissions }, policy] = await Promise.all([rights(), policyOf(principal)]);
  await checkRequest(principal, action, permissions);
  const requested = newApproval(principal.userId, { ...body, action });
  // Data access is always requested explicitly, because it concerns another user's data. Approve it at once if the policy
  // does not require approval.
  const decidedByPolicy =
    type === "data_access" && !needsSignOff(policy, type) ? approvedByPolicy(requested) : requested;
  const approval = type === "share" ? { ...decidedByPolicy, link: newLinkIdentity() } : decidedByPolicy;
  return commit(approval, ...newApprovalWrites(principal, approval));
});
