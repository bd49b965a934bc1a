import type { ApprovalType } from "../../api/governance/approvals.ts";
import type { Policy } from "../../api/governance/policy.ts";
import type { LinkIdentity } from "../../conversations/sharing/share-link-store.ts";
import type { Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { type ApprovableOperation, type ApprovableParams, approvableActions } from "./approvable-actions.ts";
import { newApproval, newApprovalWrites, type StoredApproval } from "./approval-store.ts";

/** Rules of the policy that decide for each type of approval; `always` requires one. */
const policyRules: Readonly<Record<ApprovalType, Exclude<keyof Policy["approvals"], "risk_level">>> = {
  share: "share_link",
  export: "export",
  data_access: "data_access",
  tool_execution: "tool_execution",
};

/** Returns true if the policy requires an approval before an action of this type is executed. */
export function requiresApproval({ approvals }: Pick<Policy, "approvals">, type: ApprovalType): boolean {
  return approvals[policyRules[type]] === "always";
}

/**
 * Creates an approval if the policy requires one for an action, with the writes that store it. Null if the action is
 * allowed without approval.
 * @param link id and token hash of the share link that the action creates
 */
export function requestApprovalIfRequired<Operation extends ApprovableOperation>(
  member: UserScope,
  policy: Policy,
  operation: Operation,
  params: ApprovableParams<Operation>,
  link?: LinkIdentity,
): { readonly approval: StoredApproval; readonly writes: Write[] } | null {
  if (!requiresApproval(policy, approvableActions[operation].type)) return null;
  return requestApproval(member, policy, operation, params, link);
}

/** Creates an approval for an action, with the writes that store it. */
export function requestApproval<Operation extends ApprovableOperation>(
  member: UserScope,
  { approvals: { risk_level } }: Policy,
  operation: Operation,
  params: ApprovableParams<Operation>,
  link?: LinkIdentity,
): { readonly approval: StoredApproval; readonly writes: Write[] } {
  const { type } = approvableActions[operation];
  const approval = { ...newApproval(member.userId, { type, risk_level, action: { operation, params } }), link };
  return { approval, writes: newApprovalWrites(member, approval) };
}
