import { stopEmbedMessage } from "#shared/api/embed/embed.ts";
import { runOfSession } from "#shared/embed/embed-session.ts";
import { openEmbedSession } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { stopRun } from "#shared/runs/stop-run.ts";

export const handler = endpoint(stopEmbedMessage, async ({ principal, params: { id, message_id }, commit }) => {
  const session = await openEmbedSession(principal, id);
  return stopRun(principal, await runOfSession(principal, session, message_id), commit);
});
