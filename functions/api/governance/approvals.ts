import {
  answerApprovalRoute,
  cancelApprovalRoute,
  confirmApprovalRoute,
  createApprovalRoute,
  decideApprovalRoute,
  getApprovalRoute,
  listApprovalsRoute,
} from "#shared/api/governance/approvals.ts";
import { findKeyIdOf } from "#shared/auth/principal.ts";
import { findLinkSecret, newLinkIdentity } from "#shared/conversations/sharing/verify-share-link.ts";
import {
  assertOperationType,
  validateEditedParams,
  validateParams,
} from "#shared/governance/approvals/approvable-actions.ts";
import { listApprovals } from "#shared/governance/approvals/approval-list.ts";
import {
  authorizeApproval,
  claimSecretOnce,
  getApproval,
  newApproval,
  newApprovalWrites,
  transitionWrite,
  withCurrentStatus,
} from "#shared/governance/approvals/approval-store.ts";
import {
  applyAnswers,
  applyCancellation,
  applyConfirmation,
  applyDecision,
  approveByPolicy,
} from "#shared/governance/approvals/approval-transitions.ts";
import { findDecidedConversation } from "#shared/governance/approvals/decided-conversation.ts";
import { findDecidedInputSchema } from "#shared/governance/approvals/decided-input-schema.ts";
import { authorizeApprovalRequest } from "#shared/governance/approvals/execute-approved-action.ts";
import { requiresApproval } from "#shared/governance/approvals/require-approval.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { authorizeDecider } from "#shared/tenancy/api-key-store.ts";
import { rememberConsent } from "#shared/tools/consent-store.ts";
import { requireAnswers } from "#shared/tools/questions.ts";

export const answerApprovalHandler = endpoint(
  answerApprovalRoute,
  async ({ principal, rights, params, body, commit }) => {
    const { permissions } = await rights();
    const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
    const { answers } = body;
    const given = { answers, by: principal.userId, at: timestamp() };
    const answered = await transition(
      commit,
      approval,
      (from) => {
        const next = applyAnswers(from, given);
        requireAnswers(from.questions ?? [], answers);
        return next;
      },
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    );
    return withCurrentStatus(answered);
  },
);

export const cancelApprovalHandler = endpoint(cancelApprovalRoute, async ({ principal, rights, params, commit }) => {
  const { permissions } = await rights();
  const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
  const cancellation = { by: principal.userId, at: timestamp() };
  return withCurrentStatus(
    await transition(
      commit,
      approval,
      (from) => applyCancellation(from, cancellation),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});

export const confirmApprovalHandler = endpoint(
  confirmApprovalRoute,
  async ({ principal, rights, params, body, commit }) => {
    const { permissions } = await rights();
    const approval = await authorizeApproval(principal, permissions.has("approval.decide"), params.id);
    const { decision, remember } = body;
    const confirmation = { decision, by: principal.userId, at: timestamp() };
    const confirmed = await transition(
      commit,
      approval,
      (from) => applyConfirmation(from, confirmation),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    );
    const { tool, conversation_id = null } = approval.run ?? {};
    if (tool && decision === "approve" && remember !== "never") {
      const extent = remember === "always" ? null : conversation_id;
      await rememberConsent(principal, { ...tool, conversation_id: extent });
    }
    return withCurrentStatus(confirmed);
  },
);

export const createApprovalHandler = endpoint(createApprovalRoute, async ({ principal, rights, body, commit }) => {
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

export const decideApprovalHandler = endpoint(decideApprovalRoute, async ({ principal, params, body, commit }) => {
  const approval = await getApproval(principal, params.id);
  await authorizeDecider(principal, approval.requested_by);
  const decision = {
    ...body,
    params: body.params && validateEditedParams(approval, body.params),
    by: principal.userId,
    at: timestamp(),
  };
  return withCurrentStatus(
    await transition(
      commit,
      approval,
      (from) => applyDecision(from, decision),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    ),
  );
});

export const getApprovalHandler = endpoint(getApprovalRoute, async ({ principal, rights, params }) => {
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

export const listApprovalsHandler = endpoint(listApprovalsRoute, async ({ principal, rights, query }) => {
  const { status, mine, to_decide, ...request } = query;
  const { userId } = principal;
  const canDecide = (await rights()).permissions.has("approval.decide");
  if (to_decide && (!canDecide || mine || (status ?? "pending") !== "pending")) {
    return pageReply("approvals", { entries: [], next: null }, request.limit);
  }
  const filters = to_decide
    ? { status: "pending" as const, notRequestedBy: userId }
    : { status, requestedBy: mine || !canDecide ? userId : undefined };
  const page = await listApprovals(principal, filters, request);
  return pageReply("approvals", page, request.limit);
});
