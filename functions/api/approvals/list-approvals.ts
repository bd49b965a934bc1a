import { listApprovalsRoute } from "#shared/api/governance/approvals.ts";
import { listApprovals } from "#shared/governance/approvals/approval-list.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listApprovalsRoute, async ({ principal, rights, query }) => {
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
