import { startChat } from "#shared/api/chat.ts";
import { beginTurn } from "#shared/chat/begin-turn.ts";
import { eventStream } from "#shared/chat/event-stream.ts";
import { answerOf, launchRun } from "#shared/chat/run.ts";
import { runSignal } from "#shared/chat/run-signal.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";

export const handler = streamEndpoint(startChat, async (request) => {
  const { principal, body, headers, requestId } = request;
  const turn = await beginTurn(principal, body, { requestId, signal: runSignal(request.remainingTime) });
  const run = launchRun(turn);
  request.keepAliveFor(run.finished);
  if (headers.accept?.startsWith("application/json")) return answerOf(turn, run);
  return new StreamReply(eventStream({ ...run, expiresAt: principal.expiresAt }));
});
