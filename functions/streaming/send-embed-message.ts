import { type EmbedMessage, sendEmbedMessage } from "#shared/api/embed.ts";
import { openEmbedSession, visitorOf } from "#shared/auth/embed-visitor.ts";
import { beginTurn } from "#shared/chat/begin-turn.ts";
import { drawOnVisitor, publicPersona, sessionLimits } from "#shared/chat/embed-session.ts";
import { eventStream } from "#shared/chat/event-stream.ts";
import { followRun } from "#shared/chat/follow-run.ts";
import type { FrameSource } from "#shared/chat/frame-feed.ts";
import { PublicFrames } from "#shared/chat/public-frames.ts";
import { answerOf, launchRun } from "#shared/chat/run.ts";
import { runEnding } from "#shared/chat/run-ending.ts";
import { messageSentWrite } from "#shared/data/embed-session-store.ts";
import type { StoredRun } from "#shared/data/run-store.ts";
import { embedMessage } from "#shared/domain/embed-view.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";

export const handler = streamEndpoint(sendEmbedMessage, async (request) => {
  const { principal, params, body, headers, requestId } = request;
  const session = await openEmbedSession(principal, params.id);
  const visitor = visitorOf(principal, session);
  const persona = await publicPersona(principal, session.persona_id);
  const wantsJson = headers.accept?.startsWith("application/json") ?? false;
  const answer = async (run: StoredRun, source: FrameSource, headers: Record<string, string> = {}) => {
    if (wantsJson) return new Reply(200, embedMessage(await answerOf(visitor, run, source)), headers);
    const stream = { messageId: run.message_id, source: new PublicFrames(source), expiresAt: null };
    return new StreamReply(eventStream(stream), headers);
  };
  return request.startOnce<{ message_id: string }, StreamReply | Reply<EmbedMessage>>(
    async (record) => {
      await drawOnVisitor(principal, session);
      const ending = runEnding(request.remainingTime);
      const turn = await beginTurn(
        visitor,
        {
          conversation_id: session.conversation_id,
          content: body.content,
          ...(persona && { tier: persona.tier }),
          parent_message_id: null,
          regenerate_message_id: null,
        },
        {
          requestId,
          signal: ending.signal,
          recordStart: (message_id) => record({ message_id }),
          alongside: [messageSentWrite(principal, session, sessionLimits())],
        },
      );
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
