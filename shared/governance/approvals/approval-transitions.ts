import { isDeepStrictEqual } from "node:util";
import type { Approval, ApprovalStatus } from "../../api/governance/approvals.ts";
import type { QuestionAnswer } from "../../api/tools/questions.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";

interface Decision {
  readonly decision: "approve" | "deny" | "edit";
  /** New parameters of the action; only for `edit`. */
  readonly params?: Approval["action"]["params"] | undefined;
  readonly note: string | null;
  /** Id of the deciding user. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Returns the status of an approval at a time. Expiry is computed from the time, because it causes no write.
 * @param at ISO 8601
 */
export function getStatusAt(
  { status, expires_at }: Pick<Approval, "status" | "expires_at">,
  at: string,
): ApprovalStatus {
  return status === "pending" && expires_at <= at ? "expired" : status;
}

const notPending = (status: ApprovalStatus) =>
  new ServiceError("conflict", `The approval is ${status} and can no longer be changed.`);

/**
 * Returns an approval with an approver's decision. Returns the same object if it already has this decision.
 * @throws ServiceError `forbidden` for the requester, `conflict` after another decision, cancellation or expiry
 */
export function applyDecision<AnyApproval extends Approval>(
  approval: AnyApproval,
  { decision, params, note, by, at }: Decision,
): AnyApproval {
  if (approval.requested_by === by) {
    throw new ServiceError("forbidden", "Requesters cannot decide their own approvals.");
  }
  if (approval.decider === "requester") {
    throw new ServiceError("forbidden", "Only the requester can confirm this action.");
  }
  const status = getStatusAt(approval, at);
  const action = params === undefined ? approval.action : { ...approval.action, params };
  if (status === "pending") {
    return decided({ ...approval, action }, { decision, note, by, at });
  }
  if (approval.decision === decision && isDeepStrictEqual(approval.action, action)) return approval;
  throw notPending(status);
}

const decided = <AnyApproval extends Approval>(
  approval: AnyApproval,
  { decision, note, by, at }: Omit<Decision, "params">,
): AnyApproval => ({
  ...approval,
  status: decision === "deny" ? "denied" : "approved",
  decision,
  note,
  decided_by: by,
  decided_at: at,
});

/**
 * Returns an approval with the decision of its requester, who confirms an own action. Returns the same object if it
 * already has this decision.
 * @throws ServiceError `forbidden` if an approver must decide or the user is not the requester, `conflict` after
 * another decision, cancellation or expiry, and if questions must be answered instead
 */
export function applyConfirmation<AnyApproval extends Approval>(
  approval: AnyApproval,
  { decision, by, at }: Pick<Decision, "decision" | "by" | "at">,
): AnyApproval {
  if (approval.decider !== "requester") throw new ServiceError("forbidden", "An approver decides this approval.");
  if (approval.requested_by !== by) throw new ServiceError("forbidden", "Only the requester can confirm this action.");
  if (approval.questions) throw new ServiceError("conflict", "Answer the questions of the tool instead.");
  const status = getStatusAt(approval, at);
  if (approval.decision === decision) return approval;
  if (status !== "pending") throw notPending(status);
  return decided(approval, { decision, note: null, by, at });
}

/** Requester's answers to the questions of a tool. */
interface GivenAnswers {
  readonly answers: Readonly<Record<string, QuestionAnswer>>;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Returns an approval with its requester's answers: approved if at least one question is accepted, otherwise denied.
 * Returns the same object if it already has these answers.
 * @throws ServiceError `forbidden` if the user is not the requester or there are no questions, `conflict` after other
 * answers, cancellation or expiry
 */
export function applyAnswers<AnyApproval extends Approval & { readonly answers?: GivenAnswers["answers"] | undefined }>(
  approval: AnyApproval,
  { answers, by, at }: GivenAnswers,
): AnyApproval {
  if (approval.requested_by !== by) throw new ServiceError("forbidden", "Only the requester can answer.");
  if (!approval.questions) throw new ServiceError("forbidden", "The approval has no questions.");
  const status = getStatusAt(approval, at);
  if (approval.answers && isDeepStrictEqual({ ...approval.answers }, { ...answers })) return approval;
  if (status !== "pending") throw notPending(status);
  const isAccepted = Object.values(answers).some(({ action }) => action === "accept");
  return { ...decided(approval, { decision: isAccepted ? "approve" : "deny", note: null, by, at }), answers };
}

/**
 * Returns a cancelled approval. Returns the same object if it is already cancelled.
 * @throws ServiceError `forbidden` if the user is not the requester, `conflict` after a decision or expiry
 */
export function applyCancellation<AnyApproval extends Approval>(
  approval: AnyApproval,
  { by, at }: Pick<Decision, "by" | "at">,
): AnyApproval {
  if (approval.requested_by !== by) {
    throw new ServiceError("forbidden", "Only the requester can cancel an approval.");
  }
  const status = getStatusAt(approval, at);
  if (status === "cancelled") return approval;
  if (status !== "pending") throw notPending(status);
  return { ...approval, status: "cancelled" };
}

/** Returns an approval as approved without a decider, because the policy does not require a decision. */
export function approveByPolicy<AnyApproval extends Approval>(approval: AnyApproval): AnyApproval {
  const note = "Approved automatically: the policy does not require a decision.";
  return { ...approval, status: "approved", decision: "approve", note, decided_at: approval.created_at };
}

/**
 * Returns true if an approval is pending and this user may decide it as an approver. Requesters cannot decide their
 * own.
 */
export const isDecidedBy = ({ userId }: UserScope, { status, decider, requested_by }: Approval): boolean =>
  status === "pending" && decider === "approver" && requested_by !== userId;
