import type { Approval, ApprovalStatus, ApprovalType } from "../../api/governance/approvals.ts";
import type { Policy, RiskLevel } from "../../api/governance/policy.ts";
import type { LinkIdentity } from "../../conversations/sharing/share-link-store.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import {
  type CursorBinding,
  toCursor,
  listPage,
  type Page,
  type PageRequest,
  parseCursor,
  limitToResponseSize,
} from "../../dynamodb/pagination.ts";
import { ConditionFailed, type Item, type Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { type HeldOperation, type HeldParams, heldActions } from "./approvable-actions.ts";
import { statusAt } from "./approvals.ts";

/** An approval as it is kept. */
export interface StoredApproval extends Approval {
  /** The link that is made once it is approved: what its token is found by is known beforehand, the token nowhere. */
  readonly link?: LinkIdentity | undefined;
  /** The run that waits for it. */
  readonly run?: { readonly message_id: string; readonly conversation_id: string };
  /** Whether the requester was given the secret of the result. */
  readonly secret_given?: boolean;
}

/** The approval of an item; `status` is the one it was left in. */
export const approvalOf = (item: Item) => item as unknown as StoredApproval;

/** An approval as it stands now. */
export function asOfNow<Kept extends Approval>(approval: Kept): Kept {
  return { ...approval, status: statusAt(approval, timestamp()) };
}

const hour = 3_600_000;

/** How long an action waits for somebody's word. A run's log is kept for a day: what pauses it has to come sooner. */
const waits: Readonly<Record<ApprovalType, number>> = {
  share: 168 * hour,
  export: 168 * hour,
  data_access: 168 * hour,
  tool_execution: 12 * hour,
};

/** No approval is pending for longer than this. */
const longest = Math.max(...Object.values(waits));

/** What somebody wants to be allowed. */
export interface ApprovalRequest {
  readonly type: ApprovalType;
  readonly risk_level: RiskLevel;
  readonly reason?: string | null;
  readonly action: Approval["action"];
}

/** A fresh approval, pending. */
export function newApproval(requestedBy: string, { type, risk_level, reason, action }: ApprovalRequest): Approval {
  const at = now();
  return {
    id: newId(),
    type,
    risk_level,
    status: "pending",
    action,
    reason: reason ?? null,
    requested_by: requestedBy,
    decided_by: null,
    decision: null,
    note: null,
    result: null,
    expires_at: timestamp(at + waits[type]),
    created_at: timestamp(at),
    decided_at: null,
  };
}

/** The writes that store a fresh approval, for its requester and for who decides. */
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
      condition: { where: "attribute_not_exists(#pk)" },
    },
    { put: { ...keys.ownApproval(tenantId, requested_by, id), discriminator: "own-approval" } },
  ];
}

const signOffs: Readonly<Record<ApprovalType, Exclude<keyof Policy["approvals"], "risk_level">>> = {
  share: "share_link",
  export: "export",
  data_access: "data_access",
  tool_execution: "tool_execution",
};

/** Whether the policy wants a word on actions of that type. */
export function needsSignOff({ approvals }: Pick<Policy, "approvals">, type: ApprovalType): boolean {
  return approvals[signOffs[type]] === "always";
}

/**
 * The approval an action has to wait for, and the writes that ask for it; null where the policy lets it proceed.
 * @param link the link that comes of it
 */
export function holdFor<Operation extends HeldOperation>(
  member: UserScope,
  policy: Policy,
  operation: Operation,
  params: HeldParams<Operation>,
  link?: LinkIdentity,
): { readonly approval: StoredApproval; readonly writes: Write[] } | null {
  const { type } = heldActions[operation];
  if (!needsSignOff(policy, type)) return null;
  const { risk_level } = policy.approvals;
  const approval = { ...newApproval(member.userId, { type, risk_level, action: { operation, params } }), link };
  return { approval, writes: newApprovalWrites(member, approval) };
}

/**
 * The write that takes a pending approval to its next state; of many who try at once one does.
 * @param overtaken what to throw where it is not pending any more
 */
export function transitionWrite(
  scope: TenantScope,
  { id, status, action, decision, note, decided_by, decided_at }: Approval,
  overtaken: (found: StoredApproval) => Error,
): Write {
  return {
    update: keys.approval(scope.tenantId, id),
    set: {
      ...indexKeys.approvalByStatus(scope.tenantId, status, id),
      ...{ status, action, decision, note, decided_by, decided_at, timestamp: now() },
    },
    condition: {
      where: "#status = :pending AND #expires_at > :now",
      values: { pending: "pending" satisfies ApprovalStatus, now: timestamp() },
      onConditionFailed: (found) => (found ? overtaken(approvalOf(found)) : notFound()),
    },
  };
}

/** @throws ServiceError `not_found` */
export async function getApproval(scope: TenantScope, id: string): Promise<StoredApproval> {
  const item = await tenantTable(scope).get(keys.approval(scope.tenantId, id), { consistent: true });
  if (!item) throw notFound();
  return approvalOf(item);
}

/**
 * An approval that somebody may see: the requester, and who decides.
 * @throws ServiceError `not_found`
 */
export async function approvalFor(member: UserScope, decides: boolean, id: string): Promise<StoredApproval> {
  const approval = await getApproval(member, id);
  if (approval.requested_by !== member.userId && !decides) throw notFound();
  return approval;
}

/** Which approvals are wanted. */
export interface ApprovalFilters {
  readonly status?: ApprovalStatus | undefined;
  /** Only those somebody requested. */
  readonly requestedBy?: string | undefined;
  /** Only those somebody did not request. */
  readonly notRequestedBy?: string | undefined;
}

/** Statuses that items are left in: an expired approval still says that it is pending. */
const leftIn = (status: ApprovalStatus) => (status === "expired" ? "pending" : status);

/**
 * Approvals, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listApprovals(
  scope: TenantScope,
  filters: ApprovalFilters,
  request: PageRequest,
): Promise<Page<Approval>> {
  const { status, requestedBy, notRequestedBy } = filters;
  const isWanted = (item: Item) =>
    (status === undefined || asOfNow(approvalOf(item)).status === status) &&
    approvalOf(item).requested_by !== notRequestedBy;
  const binding = { list: "approvals", filters: { ...filters } };
  const { entries, next } = requestedBy
    ? await listRequested({ ...scope, userId: requestedBy }, binding, isWanted, request)
    : await listPage(
        scope,
        {
          ...binding,
          ...(status === undefined
            ? { pk: keys.approval(scope.tenantId, "").pk }
            : { index: "gsi1", pk: indexKeys.approvalByStatus(scope.tenantId, leftIn(status), "").gsi1pk }),
          descending: true,
          where: isWanted,
          // What nobody decided stays where the pending ones are: beyond the longest wait there is nothing else.
          ...(status === "pending" && {
            isPastEnd: (item: Item) => approvalOf(item).created_at < timestamp(now() - longest),
          }),
        },
        request,
      );
  return { entries: entries.map((item) => asOfNow(approvalOf(item))), next };
}

/** Own approvals read at once. */
const batch = 100;

async function listRequested(
  member: UserScope,
  binding: CursorBinding,
  isWanted: (item: Item) => boolean,
  { limit, cursor }: PageRequest,
): Promise<Page<Item>> {
  const { pk } = keys.ownApproval(member.tenantId, member.userId, "");
  const found: Item[] = [];
  for (let after = parseCursor(member, binding, cursor); ; ) {
    const own = await tenantTable(member).query({ pk, after, limit: batch, descending: true, consistent: true });
    const wanted = own.map(({ sk }) => keys.approval(member.tenantId, sk));
    const approvals = await batchGetAll(tenantTable(member), wanted, { consistent: true });
    found.push(...approvals.filter(isWanted).sort((one, other) => (one.sk < other.sk ? 1 : -1)));
    after = own.at(-1)?.sk;
    if (own.length < batch || found.length > limit) break;
  }
  const entries = limitToResponseSize(found.slice(0, limit));
  const last = entries.at(-1);
  return { entries, next: found.length > entries.length && last ? toCursor(member, binding, last.sk) : null };
}

/** Cancels an approval that nothing waits for any more, if nobody has decided it. */
export async function withdrawApproval(scope: TenantScope, id: string): Promise<void> {
  const approval = asOfNow(await getApproval(scope, id));
  if (approval.status !== "pending") return;
  const decidedMeanwhile = () => new ConditionFailed(undefined);
  try {
    await tenantTable(scope).write(transitionWrite(scope, { ...approval, status: "cancelled" }, decidedMeanwhile));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Notes what came of the action that was approved, unless that is known. */
export async function noteResult(
  scope: TenantScope,
  id: string,
  result: NonNullable<Approval["result"]>,
): Promise<void> {
  try {
    await tenantTable(scope).write({
      update: keys.approval(scope.tenantId, id),
      set: { result, timestamp: now() },
      condition: { where: "#result = :none", values: { none: null } },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * Notes that the requester is given the secret of the result.
 * @returns false where that was so before
 */
export async function giveSecret(scope: TenantScope, id: string): Promise<boolean> {
  try {
    await tenantTable(scope).write({
      update: keys.approval(scope.tenantId, id),
      set: { secret_given: true },
      condition: { where: "attribute_exists(#pk) AND attribute_not_exists(#secret_given)" },
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
