import { streamMediaTypes } from "#shared/api/conversations/stream-media-types.ts";
import { sendEmbedMessageRoute } from "#shared/api/embed/embed.ts";
import type { EmbedMessage } from "#shared/api/embed/embed-message.ts";
import type { VisitorPrincipal } from "#shared/auth/principal.ts";
import { admitTurn } from "#shared/chat/launch-turn.ts";
import { withReadableSources } from "#shared/chat/visible-sources.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import type { Write } from "#shared/dynamodb/table.ts";
import { beginEmbedTurn } from "#shared/embed/begin-embed-turn.ts";
import { requireAttachments } from "#shared/embed/embed-attachments.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { authorizeEmbedSession, requireVerifiedVisitor, toVisitorPrincipal } from "#shared/embed/embed-visitor.ts";
import { holdMessage } from "#shared/embed/held-messages.ts";
import { PublicFrames } from "#shared/embed/public-frames.ts";
import { toEmbedMessage } from "#shared/embed/public-projections.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, type StreamRequest, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { hideSources } from "#shared/knowledge/readers/hide-sources.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import type { FrameSource } from "#shared/runs/frame-feed.ts";
import { waitForAnswer } from "#shared/runs/run.ts";
import { RunController } from "#shared/runs/run-controller.ts";
import type { StoredRun } from "#shared/runs/run-store.ts";
import { eventStream } from "#shared/runs/streams/event-stream.ts";
import { streamHeaders } from "#shared/runs/streams/stream-format.ts";
import { isActiveTenant } from "#shared/tenancy/tenant-store.ts";
import type { StoredEmbedSession } from "#shared/visitors/embed-session-store.ts";
import { HandoverChanged } from "#shared/visitors/handover-store.ts";

preloadAdapters();

/** Message that was stored for a person, or the answer that was started. */
interface Started {
  readonly message_id: string;
  readonly is_held?: boolean;
}

const replayed = { "idempotent-replayed": "true" };

/** Repeats work as long as a person claims or returns the session in the middle of it. */
async function untilDecided<Result>(work: () => Promise<Result>, attempts = 5): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HandoverChanged && attempts > 1) return untilDecided(work, attempts - 1);
    throw error instanceof HandoverChanged ? new ServiceError("conflict") : error;
  }
}

type SendRequest = StreamRequest<typeof sendEmbedMessageRoute>;

/** Message of a visitor that is sent. */
interface Sending {
  readonly request: SendRequest;
  readonly session: StoredEmbedSession;
  readonly visitor: VisitorPrincipal;
}

/** Returns the answer of a run in the form that the client accepts. @param extra headers of a repeated request */
async function replyWith(
  { request: { principal, params, headers }, visitor }: Sending,
  run: StoredRun,
  source: FrameSource,
  extra?: Record<string, string>,
) {
  const mediaType = negotiateMediaType(headers, [...streamMediaTypes, "application/json"]);
  if (mediaType === "application/json") {
    const stored = await waitForAnswer(visitor, run, source);
    // The search of a new run just found what visitors may read.
    const [visible = stored] = extra ? await hideSources(visitor, [stored]) : [];
    return new Reply(200, toEmbedMessage(visible), extra);
  }
  const ids = { messageId: run.message_id, threadId: params.id };
  const stream = { ...ids, mediaType, source: new PublicFrames(source, run.message_id), expiresAt: null };
  return new StreamReply(eventStream({ ...stream, isAllowed: () => isActiveTenant(principal) }), {
    ...streamHeaders(mediaType),
    ...extra,
  });
}

/** Stores the message for a person who has the session, or starts the answer of the assistant. */
async function start(sending: Sending, record: (started: Started) => Write | null) {
  const { request, session } = sending;
  const { principal, embedKey, body, requestId, tenant } = request;
  const held = await holdMessage(principal, embedKey, session, body, (message_id) =>
    record({ message_id, is_held: true }),
  );
  if (held) return new Reply(202, toEmbedMessage(held));
  const controller = new RunController(request.remainingMs);
  const recordStart = (message_id: string) => record({ message_id });
  const context = { requestId, signal: controller.signal, recordStart, tenant, keyId: principal.keyId };
  const run = await admitTurn(() => beginEmbedTurn(principal, embedKey, session, body, context), controller);
  request.waitUntil(run.finished);
  return replyWith(sending, run.record, run.feed);
}

/** Returns the result of an earlier request with the same `Idempotency-Key`. */
async function attach(sending: Sending, { message_id, is_held }: Started) {
  const { session, visitor } = sending;
  if (is_held) {
    return new Reply(202, toEmbedMessage(await getMessage(visitor, session.conversation_id, message_id)), replayed);
  }
  const { run, source } = await followRun(visitor, message_id);
  return replyWith(sending, run, withReadableSources(source, visitor, run), replayed);
}

export const handler = streamEndpoint(
  sendEmbedMessageRoute,
  async (request) => {
    const { principal, embedKey, params, body } = request;
    const session = await authorizeEmbedSession(principal, params.id);
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    if (body.attachments) requireAttachments(embedKey);
    const sending = { request, session, visitor: toVisitorPrincipal(principal, session) };
    return request.startOnce<Started, StreamReply | Reply<EmbedMessage>>(
      (record) => untilDecided(() => start(sending, record)),
      (started) => attach(sending, started),
    );
  },
  embedRateLimit,
);
