import { stopEmbedMessage } from "#shared/api/embed.ts";
import { openEmbedSession } from "#shared/auth/embed-visitor.ts";
import { endWaiting } from "#shared/chat/close-run.ts";
import { runOfSession } from "#shared/chat/embed-session.ts";
import { findMessage } from "#shared/data/message-store.ts";
import { controlWrite } from "#shared/data/run-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(stopEmbedMessage, async ({ principal, params: { id, message_id }, commit }) => {
  const run = await runOfSession(principal, await openEmbedSession(principal, id), message_id);
  const answer = await findMessage(principal, run.conversation_id, message_id);
  if (answer && answer.status !== "streaming") return { message_id, status: answer.status };
  const stop = controlWrite(principal, message_id, { stop: true });
  const stopping = await commit({ message_id, status: "stopping" as const }, stop);
  // A run that waits for somebody's word has no function that could obey; from now on none begins to wait.
  await endWaiting(principal, run);
  return stopping;
});
