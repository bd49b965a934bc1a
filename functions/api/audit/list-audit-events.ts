import { listAuditEvents } from "#shared/api/governance/audit.ts";
import { listEvents } from "#shared/governance/audit/audit-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listAuditEvents, async ({ principal, query: { limit, cursor, ...filters } }) => {
  const page = await listEvents(principal, filters, { limit, ...(cursor && { cursor }) });
  return { audit_events: [...page.entries], limit, next_cursor: page.next };
});
