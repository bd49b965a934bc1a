import { resumeChatRoute } from "#shared/api/conversations/chat.ts";
import { streamMediaTypes } from "#shared/api/conversations/stream-media-types.ts";
import { withReadableSources } from "#shared/chat/visible-sources.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { Reply } from "#shared/http/reply.ts";
import { isActiveUser } from "#shared/http/steps.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import { eventStream } from "#shared/runs/streams/event-stream.ts";
import { streamHeaders } from "#shared/runs/streams/stream-format.ts";
import { visibleFrames } from "#shared/runs/visible-frames.ts";

export const handler = streamEndpoint(resumeChatRoute, async ({ principal, params, query, headers, rights }) => {
  const { message_id: messageId } = params;
  const mediaType = negotiateMediaType(headers, streamMediaTypes);
  const { run, source, afterSeq, isComplete } = await followRun(
    principal,
    messageId,
    headers["last-event-id"] ?? query.cursor,
  );
  if (isComplete) return new Reply(204, undefined);
  return new StreamReply(
    eventStream({
      messageId,
      threadId: run.conversation_id,
      mediaType,
      source: withReadableSources(visibleFrames(source, rights), principal, run),
      afterSeq,
      expiresAt: principal.expiresAt,
      isAllowed: () => isActiveUser(principal),
    }),
    streamHeaders(mediaType),
  );
});
