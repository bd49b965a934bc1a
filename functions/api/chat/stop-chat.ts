import { stopChat } from "#shared/api/chat.ts";
import { endWaiting } from "#shared/chat/close-run.ts";
import { runFor } from "#shared/chat/follow-run.ts";
import { findMessage } from "#shared/data/message-store.ts";
import { controlWrite } from "#shared/data/run-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(stopChat, async ({ principal, params: { message_id }, commit }) => {
  const run = await runFor(principal, message_id, "WRITE");
  const answer = await findMessage(principal, run.conversation_id, message_id);
  if (answer && answer.status !== "streaming") return { message_id, status: answer.status };
  const stop = controlWrite(principal, message_id, { stop: true });
  const stopping = await commit({ message_id, status: "stopping" as const }, stop);
  // A run that waits for somebody's word has no function that could obey; from now on none begins to wait.
  await endWaiting(principal, run);
  return stopping;
});
