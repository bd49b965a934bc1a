import { startChatRoute } from "#shared/api/conversations/chat.ts";
import type { Message } from "#shared/api/conversations/messages.ts";
import { streamMediaTypes } from "#shared/api/conversations/stream-media-types.ts";
import { beginTurn } from "#shared/chat/begin-turn.ts";
import { admitTurn, prefersDurable } from "#shared/chat/launch-turn.ts";
import { withReadableSources } from "#shared/chat/visible-sources.ts";
import { withVisibleChecks } from "#shared/conversations/visible-checks.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { Reply } from "#shared/http/reply.ts";
import { isActiveUser } from "#shared/http/steps.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { hideSources } from "#shared/knowledge/readers/hide-sources.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import type { FrameSource } from "#shared/runs/frame-feed.ts";
import { waitForAnswer } from "#shared/runs/run.ts";
import { RunController } from "#shared/runs/run-controller.ts";
import type { StoredRun } from "#shared/runs/run-store.ts";
import { eventStream } from "#shared/runs/streams/event-stream.ts";
import { streamHeaders } from "#shared/runs/streams/stream-format.ts";
import { visibleFrames } from "#shared/runs/visible-frames.ts";

preloadAdapters();

export const handler = streamEndpoint(startChatRoute, async (request) => {
  const { principal, body, headers, requestId, rights } = request;
  const { expiresAt } = principal;
  const isDurable = prefersDurable(headers);
  const mediaType = negotiateMediaType(headers, [...streamMediaTypes, "application/json"]);
  const answer = async (run: StoredRun, source: FrameSource, isReplayed: boolean) => {
    const stored = await waitForAnswer(principal, run, source);
    // The search of a new run just found what the asker may read.
    const [visible = stored] = isReplayed ? await hideSources(principal, [stored]) : [];
    return withVisibleChecks(visible, rights);
  };
  const reply = async (run: StoredRun, source: FrameSource, replayed?: Record<string, string>) => {
    if (mediaType === "application/json") {
      return new Reply(200, await answer(run, source, replayed !== undefined), replayed);
    }
    const ids = { messageId: run.message_id, threadId: run.conversation_id };
    const stream = { ...ids, mediaType, source: visibleFrames(source, rights), expiresAt };
    return new StreamReply(eventStream({ ...stream, isAllowed: () => isActiveUser(principal) }), {
      ...streamHeaders(mediaType),
      ...replayed,
    });
  };
  return request.startOnce<{ message_id: string }, StreamReply | Reply<Message>>(
    async (record) => {
      const controller = new RunController(request.remainingMs);
      const recordStart = (message_id: string) => record({ message_id });
      const keyId = principal.apiKey?.id ?? null;
      const context = { requestId, signal: controller.signal, recordStart, tenant: request.tenant, keyId };
      const run = await admitTurn(() => beginTurn(principal, body, context), controller, { isDurable });
      request.waitUntil(run.finished);
      return reply(run.record, run.feed);
    },
    async ({ message_id }) => {
      const { run, source } = await followRun(principal, message_id);
      return reply(run, withReadableSources(source, principal, run), { "idempotent-replayed": "true" });
    },
  );
});
