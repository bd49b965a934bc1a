import { listAuditEventsRoute, verifyAuditEventsRoute } from "#shared/api/governance/audit.ts";
import { listEvents } from "#shared/governance/audit/audit-store.ts";
import { verifyChain } from "#shared/governance/audit/verify-chain.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const listAuditEventsHandler = endpoint(
  listAuditEventsRoute,
  async ({ principal, query: { limit, cursor, ...filters } }) => {
    const page = await listEvents(principal, filters, { limit, ...(cursor && { cursor }) });
    return pageReply("audit_events", page, limit);
  },
);

export const verifyAuditEventsHandler = endpoint(verifyAuditEventsRoute, async ({ principal, query }) => {
  const { next, ...result } = await verifyChain(principal, query.cursor);
  return { valid: result.broken === null, ...result, next_cursor: next };
});
