import { listAuditEventsRoute } from "#shared/api/governance/audit.ts";
import { listEvents } from "#shared/governance/audit/audit-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listAuditEventsRoute, async ({ principal, query: { limit, cursor, ...filters } }) => {
  const page = await listEvents(principal, filters, { limit, ...(cursor && { cursor }) });
  return pageReply("audit_events", page, limit);
});
