import { getApprovalRoute } from "#shared/api/governance/approvals.ts";
import { findKeyIdOf } from "#shared/auth/principal.ts";
import { findLinkSecret } from "#shared/conversations/sharing/verify-share-link.ts";
import { authorizeApproval, claimSecretOnce, withCurrentStatus } from "#shared/governance/approvals/approval-store.ts";
import { findDecidedConversation } from "#shared/governance/approvals/decided-conversation.ts";
import { findDecidedInputSchema } from "#shared/governance/approvals/decided-input-schema.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getApprovalRoute, async ({ principal, rights, params }) => {
  const { permissions } = await rights();
  const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
  const { link, result, requested_by, secret_given } = approval;
  // Programs that act for themselves cannot decide, so they do not see what would be disclosed.
  if (permissions.has("approval.decide") && findKeyIdOf(principal.userId) === undefined) {
    const current = withCurrentStatus(approval);
    const conversation = await findDecidedConversation(principal, current);
    if (conversation) return { ...current, conversation };
    const input_schema = await findDecidedInputSchema(principal, current);
    if (input_schema) return { ...current, input_schema };
  }
  const awaitsSecret = link && result?.link_id && requested_by === principal.userId && !secret_given;
  // A secret that was claimed is not returned again, so nothing that can fail follows the claim.
  const secret = awaitsSecret ? await findLinkSecret(link) : undefined;
  if (!secret || !(await claimSecretOnce(principal, params.id))) return withCurrentStatus(approval);
  return { ...withCurrentStatus(approval), result: { ...result, ...secret } };
});
