import { streamMediaTypes } from "#shared/api/conversations/stream-media-types.ts";
import { resumeEmbedMessageRoute } from "#shared/api/embed/embed.ts";
import { withReadableSources } from "#shared/chat/visible-sources.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { getSessionRun } from "#shared/embed/embed-session.ts";
import { authorizeEmbedSession, toVisitorPrincipal } from "#shared/embed/embed-visitor.ts";
import { PublicFrames } from "#shared/embed/public-frames.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import { eventStream } from "#shared/runs/streams/event-stream.ts";
import { streamHeaders } from "#shared/runs/streams/stream-format.ts";
import { isActiveTenant } from "#shared/tenancy/tenant-store.ts";

export const handler = streamEndpoint(
  resumeEmbedMessageRoute,
  async ({ principal, params, query, headers }) => {
    const { id, message_id: messageId } = params;
    const session = await authorizeEmbedSession(principal, id);
    await getSessionRun(principal, session, messageId);
    const lastEventId = headers["last-event-id"] ?? query.cursor;
    const visitor = toVisitorPrincipal(principal, session);
    const { run, source, afterSeq, isComplete } = await followRun(visitor, messageId, lastEventId);
    if (isComplete) return new Reply(204, undefined);
    const mediaType = negotiateMediaType(headers, streamMediaTypes);
    const frames = new PublicFrames(withReadableSources(source, visitor, run), messageId);
    const stream = { messageId, threadId: id, mediaType, source: frames, afterSeq, expiresAt: null };
    return new StreamReply(
      eventStream({ ...stream, isAllowed: () => isActiveTenant(principal) }),
      streamHeaders(mediaType),
    );
  },
  embedRateLimit,
);
