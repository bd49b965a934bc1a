import * as v from "valibot";
import {
  Approval,
  type ApprovalDecider,
  type ApprovalStatus,
  type ApprovalType,
} from "../../api/governance/approvals.ts";
import type { RiskLevel } from "../../api/governance/policy.ts";
import { answeredEvent } from "../../api/messengers/event-ref.ts";
import type { QuestionAnswer } from "../../api/tools/questions.ts";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { requireItem } from "../../dynamodb/required-item.ts";
import {
  absent,
  allOf,
  ConditionFailed,
  equals,
  exists,
  greaterThan,
  ignoreConditionFailed,
  isPerformed,
  lacksAttribute,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { getStatusAt } from "./approval-transitions.ts";

const StoredApproval = v.object({
  ...Approval.entries,
  /** Id and token hash of the share link to create. The token is derived from the id and never stored. */
  link: v.optional(v.object({ link_id: v.string(), hash: v.string() })),
  /** Run that is paused until this approval is decided. */
  run: v.optional(
    v.object({
      message_id: v.string(),
      conversation_id: v.string(),
      /** Server tool to call. Its definition must be unchanged when the call is executed. */
      tool: v.optional(
        v.object({
          persona_id: v.string(),
          server_id: v.string(),
          tool: v.string(),
          definition_hash: v.string(),
        }),
      ),
      /** True if the run waits for the user to sign in to the server. Signing in is no consent to the call. */
      is_sign_in: v.optional(v.boolean()),
      ...answeredEvent,
    }),
  ),
  /** Incident update that is sent after this approval. */
  incident_update: v.optional(v.object({ id: v.string(), investigation_id: v.string() })),
  /** User's answers to the questions of a tool, by the question's key. */
  answers: v.optional(v.record(v.string(), trusted<QuestionAnswer>())),
  /** True after the requester has received the secret of the result, such as the token of a share link. */
  secret_given: v.optional(v.boolean()),
});
export type StoredApproval = v.InferOutput<typeof StoredApproval>;

/** Reads an approval from its item, with the stored status, which does not reflect expiry. */
export const readApproval = itemReader(StoredApproval);

/** Returns an approval with its current status: `expired` if it is pending and its time is over. */
export function withCurrentStatus<AnyApproval extends Approval>(approval: AnyApproval): AnyApproval {
  return { ...approval, status: getStatusAt(approval, timestamp()) };
}

const HOUR_MS = 3_600_000;

/**
 * Time until a pending approval expires, in milliseconds. A run log is retained for a day, so an approval of a paused
 * run must expire earlier.
 */
const approvalLifetimesMs: Readonly<Record<ApprovalType, number>> = {
  share: 168 * HOUR_MS,
  export: 168 * HOUR_MS,
  data_access: 168 * HOUR_MS,
  tool_execution: 12 * HOUR_MS,
};

export const MAX_APPROVAL_LIFETIME_MS = Math.max(...Object.values(approvalLifetimesMs));

export interface ApprovalRequest {
  readonly type: ApprovalType;
  readonly risk_level: RiskLevel;
  readonly reason?: string | null;
  readonly action: Approval["action"];
  /** Role that decides; `approver` by default. */
  readonly decider?: ApprovalDecider;
}

export function newApproval(
  requestedBy: string,
  { type, risk_level, reason, action, decider = "approver" }: ApprovalRequest,
): Approval {
  const createdAtMs = now();
  return {
    id: newId(),
    type,
    risk_level,
    status: "pending",
    action,
    reason: reason ?? null,
    requested_by: requestedBy,
    decider,
    decided_by: null,
    decision: null,
    note: null,
    result: null,
    expires_at: timestamp(createdAtMs + approvalLifetimesMs[type]),
    created_at: timestamp(createdAtMs),
    decided_at: null,
  };
}

/** Returns the writes that store a new approval and add it to its requester's list. */
export function newApprovalWrites(scope: TenantScope, approval: StoredApproval): Write[] {
  const { tenantId } = scope;
  const { id, status, requested_by } = approval;
  return [
    {
      put: {
        ...keys.approval(tenantId, id),
        ...indexKeys.approvalByStatus(tenantId, status, id),
        discriminator: "approval",
        timestamp: now(),
        ...approval,
      },
      condition: absent(),
    },
    { put: { ...keys.ownApproval(tenantId, requested_by, id), discriminator: "own-approval" } },
  ];
}

/**
 * Returns the write that moves a pending approval to its next status. Only one of several concurrent writes succeeds.
 * @param onConflict returns the error to throw when the stored approval is no longer pending
 */
export function transitionWrite(
  scope: TenantScope,
  { id, status, action, decision, note, decided_by, decided_at, answers }: StoredApproval,
  onConflict: (stored: StoredApproval) => Error,
): Write {
  return {
    update: keys.approval(scope.tenantId, id),
    set: {
      ...indexKeys.approvalByStatus(scope.tenantId, status, id),
      ...{ status, action, decision, note, decided_by, decided_at, timestamp: now() },
      ...(answers && { answers }),
    },
    condition: allOf(
      [equals({ status: "pending" satisfies ApprovalStatus }), greaterThan({ expires_at: timestamp() })],
      (existing) => (existing ? onConflict(readApproval(existing)) : notFound()),
    ),
  };
}

/** @throws ServiceError `not_found` */
export async function getApproval(scope: TenantScope, id: string): Promise<StoredApproval> {
  return readApproval(await requireItem(scope, keys.approval(scope.tenantId, id)));
}

/**
 * Returns an approval if the user may read it: an own one, or any if `canDecide`.
 * @param canDecide true if the user may decide approvals
 */
export async function authorizeApproval(member: UserScope, canDecide: boolean, id: string): Promise<StoredApproval> {
  const approval = await getApproval(member, id);
  if (approval.requested_by !== member.userId && !canDecide) throw notFound();
  return approval;
}

/** Cancels an approval that is no longer needed. Does nothing if it is decided or expired. */
export async function cancelIfPending(scope: TenantScope, id: string): Promise<void> {
  const approval = withCurrentStatus(await getApproval(scope, id));
  if (approval.status !== "pending") return;
  const onConflict = () => new ConditionFailed(undefined);
  await tenantTable(scope)
    .write(transitionWrite(scope, { ...approval, status: "cancelled" }, onConflict))
    .catch(ignoreConditionFailed);
}

/**
 * Records that the requester receives the secret of the result, which is returned only once.
 * @returns false if the secret was returned before
 */
export async function claimSecretOnce(scope: TenantScope, id: string): Promise<boolean> {
  return isPerformed(
    tenantTable(scope).write({
      update: keys.approval(scope.tenantId, id),
      set: { secret_given: true },
      condition: allOf([exists(), lacksAttribute("secret_given")]),
    }),
  );
}
