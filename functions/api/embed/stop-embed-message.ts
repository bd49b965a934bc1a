import { stopEmbedMessage } from "#shared/api/embed.ts";
import { openEmbedSession } from "#shared/auth/embed-visitor.ts";
import { runOfSession } from "#shared/chat/embed-session.ts";
import { stopRun } from "#shared/chat/stop-run.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(stopEmbedMessage, async ({ principal, params: { id, message_id }, commit }) => {
  const session = await openEmbedSession(principal, id);
  return stopRun(principal, await runOfSession(principal, session, message_id), commit);
});
