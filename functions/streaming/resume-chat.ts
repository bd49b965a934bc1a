import { resumeChatRoute } from "#shared/api/conversations/chat.ts";
import { Reply } from "#shared/http/reply.ts";
import { isActiveUser } from "#shared/http/steps.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { eventStream } from "#shared/runs/event-stream.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import { visibleFrames } from "#shared/runs/visible-frames.ts";

export const handler = streamEndpoint(resumeChatRoute, async ({ principal, params, query, headers, rights }) => {
  const { message_id: messageId } = params;
  const { source, afterSeq, isComplete } = await followRun(
    principal,
    messageId,
    headers["last-event-id"] ?? query.cursor,
  );
  if (isComplete) return new Reply(204, undefined);
  return new StreamReply(
    eventStream({
      messageId,
      source: visibleFrames(source, rights),
      afterSeq,
      expiresAt: principal.expiresAt,
      isAllowed: () => isActiveUser(principal),
    }),
  );
});
