import { listVisitorSessionsRoute } from "#shared/api/embed/visitors.ts";
import { listSessionsOfKey } from "#shared/embed/embed-session-store.ts";
import { toVisitorSession } from "#shared/embed/visitor-sessions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { requireEmbedKey } from "#shared/tenancy/embed-key-store.ts";

/** Maximum number of sessions whose details are read concurrently. */
const CONCURRENCY = 10;

export const handler = endpoint(listVisitorSessionsRoute, async ({ principal, params, query }) => {
  await requireEmbedKey(principal, params.id);
  const { entries, next } = await listSessionsOfKey(principal, params.id, query);
  const sessions = await mapConcurrent(entries, (session) => toVisitorSession(principal, session), CONCURRENCY);
  return { sessions, limit: query.limit, next_cursor: next };
});
