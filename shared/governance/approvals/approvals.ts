import { isDeepStrictEqual } from "node:util";
import type { Approval, ApprovalStatus } from "../../api/governance/approvals.ts";
import { ServiceError } from "../../lib/errors.ts";

/** What somebody decides about an approval. */
export interface Decision {
  readonly decision: "approve" | "deny" | "edit";
  /** What the action is to be done with instead; of an edit only. */
  readonly params?: Approval["action"]["params"] | undefined;
  readonly note: string | null;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** How an approval stands at a moment: nobody has to come by for one to expire. */
export function statusAt({ status, expires_at }: Pick<Approval, "status" | "expires_at">, at: string): ApprovalStatus {
  return status === "pending" && expires_at <= at ? "expired" : status;
}

const closed = (status: ApprovalStatus) =>
  new ServiceError("conflict", `This approval is ${status} and cannot be changed any more.`);

/**
 * An approval after a decision; the very same one where that is how it was decided before.
 * @throws ServiceError `forbidden` for one's own, `conflict` where another decision stands or it is too late for any
 */
export function decided<Kept extends Approval>(approval: Kept, { decision, params, note, by, at }: Decision): Kept {
  if (approval.requested_by === by) {
    throw new ServiceError("forbidden", "Nobody decides what they have requested themselves.");
  }
  const status = statusAt(approval, at);
  const action = params === undefined ? approval.action : { ...approval.action, params };
  if (status === "pending") {
    const outcome = decision === "deny" ? ("denied" as const) : ("approved" as const);
    return { ...approval, status: outcome, action, decision, note, decided_by: by, decided_at: at };
  }
  if (approval.decision === decision && isDeepStrictEqual(approval.action, action)) return approval;
  throw closed(status);
}

/**
 * An approval that is not wanted any more; the very same one where it was cancelled before.
 * @throws ServiceError `forbidden` for somebody else's, `conflict` where it was decided or is expired
 */
export function cancelled<Kept extends Approval>(approval: Kept, { by, at }: Pick<Decision, "by" | "at">): Kept {
  if (approval.requested_by !== by) throw new ServiceError("forbidden", "Only who requested an approval cancels it.");
  const status = statusAt(approval, at);
  if (status === "cancelled") return approval;
  if (status !== "pending") throw closed(status);
  return { ...approval, status: "cancelled" };
}

/** An approval that the policy gives by itself, for an action that needs nobody's word. */
export function approvedByPolicy<Kept extends Approval>(approval: Kept): Kept {
  const note = "The policy asks nobody's word on this.";
  return { ...approval, status: "approved", decision: "approve", note, decided_at: approval.created_at };
}
