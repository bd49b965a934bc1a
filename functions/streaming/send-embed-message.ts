import { type EmbedMessage, sendEmbedMessage } from "#shared/api/embed.ts";
import { openEmbedSession, requireVerified, visitorOf } from "#shared/auth/embed-visitor.ts";
import { beginEmbedTurn } from "#shared/chat/begin-embed-turn.ts";
import { eventStream } from "#shared/chat/event-stream.ts";
import { followRun } from "#shared/chat/follow-run.ts";
import type { FrameSource } from "#shared/chat/frame-feed.ts";
import { PublicFrames } from "#shared/chat/public-frames.ts";
import { answerOf, launchRun } from "#shared/chat/run.ts";
import { runEnding } from "#shared/chat/run-ending.ts";
import type { StoredRun } from "#shared/data/run-store.ts";
import { embedMessage } from "#shared/domain/embed-view.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";

export const handler = streamEndpoint(sendEmbedMessage, async (request) => {
  const { principal, embedKey, params, body, headers, requestId } = request;
  const session = await openEmbedSession(principal, params.id);
  requireVerified(session, embedKey.require_signed_visitor);
  const visitor = visitorOf(principal, session);
  const answer = async (run: StoredRun, source: FrameSource, replayed: Record<string, string> = {}) => {
    if (headers.accept?.startsWith("application/json"))
      return new Reply(200, embedMessage(await answerOf(visitor, run, source)), replayed);
    const shown = { messageId: run.message_id, source: new PublicFrames(source), expiresAt: null };
    return new StreamReply(eventStream(shown), replayed);
  };
  return request.startOnce<{ message_id: string }, StreamReply | Reply<EmbedMessage>>(
    async (record) => {
      const ending = runEnding(request.remainingTime);
      const recordStart = (message_id: string) => record({ message_id });
      const context = { requestId, signal: ending.signal, recordStart };
      const turn = await beginEmbedTurn(principal, session, body.content, context);
      const run = launchRun(turn, ending);
      request.keepAliveFor(run.finished);
      return answer(turn.run, run.source);
    },
    async ({ message_id }) => {
      const { run, source } = await followRun(visitor, message_id);
      return answer(run, source, { "idempotent-replayed": "true" });
    },
  );
});
