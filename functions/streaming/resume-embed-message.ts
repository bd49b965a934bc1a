import { resumeEmbedMessage } from "#shared/api/embed.ts";
import { openEmbedSession, visitorOf } from "#shared/auth/embed-visitor.ts";
import { runOfSession } from "#shared/chat/embed-session.ts";
import { eventStream } from "#shared/chat/event-stream.ts";
import { followRun } from "#shared/chat/follow-run.ts";
import { PublicFrames } from "#shared/chat/public-frames.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";

export const handler = streamEndpoint(resumeEmbedMessage, async ({ principal, params, query, headers }) => {
  const { id, message_id: messageId } = params;
  const session = await openEmbedSession(principal, id);
  await runOfSession(principal, session, messageId);
  const place = headers["last-event-id"] ?? query.cursor;
  const { source, afterSeq } = await followRun(visitorOf(principal, session), messageId, place);
  return new StreamReply(eventStream({ messageId, source: new PublicFrames(source), afterSeq, expiresAt: null }));
});
