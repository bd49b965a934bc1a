import { verifyAuditEventsRoute } from "#shared/api/governance/audit.ts";
import { verifyChain } from "#shared/governance/audit/verify-chain.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(verifyAuditEventsRoute, async ({ principal, query }) => {
  const { next, ...result } = await verifyChain(principal, query.cursor);
  return { valid: result.broken === null, ...result, next_cursor: next };
});
