import type { Approval, ApprovalStatus } from "../../api/governance/approvals.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import {
  type ItemSource,
  type ListQuery,
  listPage,
  type Page,
  type PageRequest,
  parseCursor,
  takePage,
} from "../../dynamodb/pagination.ts";
import type { Item } from "../../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { MAX_APPROVAL_LIFETIME_MS, readApproval, withCurrentStatus } from "./approval-store.ts";

interface ApprovalFilters {
  readonly status?: ApprovalStatus | undefined;
  /** User id of the requester. */
  readonly requestedBy?: string | undefined;
  /**
   * Id of a requester whose approvals are left out. Approvals that only their requester can decide are left out, too.
   */
  readonly notRequestedBy?: string | undefined;
}

/**
 * Returns the status under which an approval is stored. Expiry causes no write, so expired approvals are stored as
 * pending.
 */
const toStoredStatus = (status: ApprovalStatus) => (status === "expired" ? "pending" : status);

function matches(item: Item, { status, notRequestedBy }: ApprovalFilters): boolean {
  const approval = withCurrentStatus(readApproval(item));
  const isDecidable = notRequestedBy === undefined || approval.decider === "approver";
  return (
    (status === undefined || approval.status === status) && approval.requested_by !== notRequestedBy && isDecidable
  );
}

/** Returns the time of creation before which all approvals have expired. */
export const oldestPending = (): string => timestamp(now() - MAX_APPROVAL_LIFETIME_MS);

/** Returns the query for all approvals of the tenant, or for those with a status. */
function toListQuery({ tenantId }: TenantScope, status: ApprovalStatus | undefined): Omit<ListQuery, "list"> {
  if (status === undefined) return { pk: keys.approval(tenantId, "").pk };
  const { gsi1pk } = indexKeys.approvalByStatus(tenantId, toStoredStatus(status), "");
  const list = { index: "gsi1" as const, pk: gsi1pk };
  // Expired approvals are listed as pending too. Older ones than the longest lifetime are all expired.
  const oldest = oldestPending();
  return status === "pending" ? { ...list, isPastEnd: (item) => readApproval(item).created_at < oldest } : list;
}

/** Yields the approvals that a user requested, newest first. */
export async function* scanRequestedApprovals(
  member: UserScope,
  filters: ApprovalFilters,
  startAfter?: string,
): ItemSource {
  const { pk } = keys.ownApproval(member.tenantId, member.userId, "");
  const table = tenantTable(member);
  for (let after = startAfter; ; ) {
    const entries = await table.query({ pk, after, limit: SWEEP_BATCH_SIZE, descending: true, consistent: true });
    const approvalKeys = entries.map(({ sk }) => keys.approval(member.tenantId, sk));
    const approvals = await batchGetAll(table, approvalKeys, { consistent: true });
    yield* approvals.filter((item) => matches(item, filters)).sort((a, b) => (a.sk < b.sk ? 1 : -1));
    if (entries.length < SWEEP_BATCH_SIZE) return undefined;
    after = entries.at(-1)?.sk;
  }
}

/**
 * Returns a page of items of approvals, newest first. Their status is the stored one.
 * @throws ServiceError `invalid_cursor`
 */
export async function listApprovalItems(
  scope: TenantScope,
  filters: ApprovalFilters,
  request: PageRequest,
): Promise<Page<Item>> {
  const binding = { list: "approvals", filters: { ...filters } };
  const where = (item: Item) => matches(item, filters);
  if (filters.requestedBy === undefined) {
    const list = { ...binding, ...toListQuery(scope, filters.status), descending: true, where };
    return listPage(scope, list, request);
  }
  const requester = { ...scope, userId: filters.requestedBy };
  const items = scanRequestedApprovals(requester, filters, parseCursor(requester, binding, request.cursor));
  return takePage(requester, binding, items, request.limit, ({ sk }) => sk);
}

/**
 * Returns a page of approvals with their current status, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listApprovals(
  scope: TenantScope,
  filters: ApprovalFilters,
  request: PageRequest,
): Promise<Page<Approval>> {
  const { entries, next } = await listApprovalItems(scope, filters, request);
  return { entries: entries.map((item) => withCurrentStatus(readApproval(item))), next };
}
