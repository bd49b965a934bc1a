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
  // What can be had without a word anyway is not asked for; access to what is somebody else's is, even so.
  const given = type === "data_access" && !needsSignOff(policy, type) ? approvedByPolicy(requested) : requested;
  const approval = type === "share" ? { ...given, link: newLinkIdentity() } : given;
  return commit(approval, ...newApprovalWrites(principal, approval));
});
