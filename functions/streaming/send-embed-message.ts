import { streamMediaTypes } from "#shared/api/conversations/stream-media-types.ts";
import { sendEmbedMessageRoute } from "#shared/api/embed/embed.ts";
import type { EmbedMessage } from "#shared/api/embed/embed-message.ts";
import { admitTurn } from "#shared/chat/launch-turn.ts";
import { beginEmbedTurn } from "#shared/embed/begin-embed-turn.ts";
import { requireAttachments } from "#shared/embed/embed-attachments.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { authorizeEmbedSession, requireVerifiedVisitor, toVisitorPrincipal } from "#shared/embed/embed-visitor.ts";
import { PublicFrames } from "#shared/embed/public-frames.ts";
import { toEmbedMessage } from "#shared/embed/public-projections.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import type { FrameSource } from "#shared/runs/frame-feed.ts";
import { waitForAnswer } from "#shared/runs/run.ts";
import { RunController } from "#shared/runs/run-controller.ts";
import type { StoredRun } from "#shared/runs/run-store.ts";
import { eventStream } from "#shared/runs/streams/event-stream.ts";
import { streamHeaders } from "#shared/runs/streams/stream-format.ts";
import { isActiveTenant } from "#shared/tenancy/tenant-store.ts";

preloadAdapters();

export const handler = streamEndpoint(
  sendEmbedMessageRoute,
  async (request) => {
    const { principal, embedKey, params, body, headers, requestId } = request;
    const session = await authorizeEmbedSession(principal, params.id);
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    if (body.attachments) requireAttachments(embedKey);
    const visitor = toVisitorPrincipal(principal, session);
    const reply = async (run: StoredRun, source: FrameSource, replayed: Record<string, string> = {}) => {
      const mediaType = negotiateMediaType(headers, [...streamMediaTypes, "application/json"]);
      if (mediaType === "application/json") {
        return new Reply(200, toEmbedMessage(await waitForAnswer(visitor, run, source)), replayed);
      }
      const ids = { messageId: run.message_id, threadId: params.id };
      const stream = { ...ids, mediaType, source: new PublicFrames(source), expiresAt: null };
      return new StreamReply(eventStream({ ...stream, isAllowed: () => isActiveTenant(principal) }), {
        ...streamHeaders(mediaType),
        ...replayed,
      });
    };
    return request.startOnce<{ message_id: string }, StreamReply | Reply<EmbedMessage>>(
      async (record) => {
        const controller = new RunController(request.remainingMs);
        const recordStart = (message_id: string) => record({ message_id });
        const { keyId } = principal;
        const context = { requestId, signal: controller.signal, recordStart, tenant: request.tenant, keyId };
        const run = await admitTurn(() => beginEmbedTurn(principal, embedKey, session, body, context), controller);
        request.waitUntil(run.finished);
        return reply(run.record, run.feed);
      },
      async ({ message_id }) => {
        const { run, source } = await followRun(visitor, message_id);
        return reply(run, source, { "idempotent-replayed": "true" });
      },
    );
  },
  embedRateLimit,
);
