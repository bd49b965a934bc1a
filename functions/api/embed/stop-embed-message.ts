import { stopEmbedMessageRoute } from "#shared/api/embed/embed.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { getSessionRun } from "#shared/embed/embed-session.ts";
import { authorizeEmbedSession } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { stopRun } from "#shared/runs/stop-run.ts";

export const handler = endpoint(
  stopEmbedMessageRoute,
  async ({ principal, params: { id, message_id }, commit }) => {
    const session = await authorizeEmbedSession(principal, id);
    return stopRun(principal, await getSessionRun(principal, session, message_id), commit);
  },
  embedRateLimit,
);
