import type { StreamMediaType } from "../../api/conversations/stream-media-types.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { eventId, isTerminal, type PublicEvent, type RunEvent } from "../events.ts";
import type { FrameSource } from "../frame-feed.ts";
import { streamFormat } from "./stream-format.ts";

/** Duration after which the server closes a connection and the client has to reconnect. */
const MAX_CONNECTION_MS = 60_000;

/** Time without frames after which a comment is sent, so that proxies do not close the connection. */
const HEARTBEAT_INTERVAL_MS = 10_000;

/** Interval between checks of the caller's access, so that the stream of a deactivated user ends. */
const ACCESS_CHECK_INTERVAL_MS = 10_000;

/** Delay before a client reconnects to a run that is still in progress. */
const RECONNECT_DELAY_MS = 500;

interface StreamOptions {
  readonly messageId: string;
  /** Id of the conversation for the client. */
  readonly threadId: string;
  readonly mediaType: StreamMediaType;
  readonly source: FrameSource<RunEvent | PublicEvent>;
  /** `seq` of the last frame that the client has received; 0 for none. */
  readonly afterSeq?: number;
  /** Expiry of the caller's credential in epoch seconds; null if it does not expire. */
  readonly expiresAt: number | null;
  /**
   * Returns false if the caller may no longer read the run, for example because the user was deactivated. Checked every
   * 10 s.
   */
  isAllowed?(): Promise<boolean>;
}

/**
 * Yields a run as server-sent events: frames as they arrive, and comments while there are none. Ends with a terminal
 * event of the run, or with `token_expired` or `stream_expired` if the credential expires or the connection is too old.
 */
export async function* eventStream(options: StreamOptions): AsyncGenerator<string, void> {
  const { messageId, source, expiresAt, isAllowed, afterSeq = 0 } = options;
  const format = streamFormat(options.mediaType, { messageId, threadId: options.threadId, afterSeq });
  const connectionEnd = now() + MAX_CONNECTION_MS;
  let tokenEnd = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt * 1_000;
  let checkedAt = now();
  let seq = afterSeq;
  for (;;) {
    if (isAllowed && now() - checkedAt >= ACCESS_CHECK_INTERVAL_MS) {
      checkedAt = now();
      if (!(await isAllowed())) tokenEnd = checkedAt;
    }
    const remainingMs = Math.min(connectionEnd, tokenEnd) - now();
    if (remainingMs <= 0) break;
    const frames = await source.next(seq, Math.min(remainingMs, HEARTBEAT_INTERVAL_MS));
    // An empty streamed body can hang a Lambda function URL.
    if (!frames) return yield ": the stream has ended\n\n";
    if (frames.length > 0) yield frames.map(format.frame).join("");
    else if (remainingMs > HEARTBEAT_INTERVAL_MS) yield ": still here\n\n";
    const last = frames.at(-1);
    if (last && isTerminal(last.event)) return;
    seq = last?.seq ?? seq;
  }
  if (tokenEnd <= connectionEnd) {
    yield format.connectionEvent({
      type: "token_expired",
      data: { expired_at: timestamp(tokenEnd), message_id: messageId },
    });
  } else {
    const position = { message_id: messageId, last_event_id: seq > 0 ? eventId(messageId, seq) : null };
    yield format.connectionEvent({ type: "reconnect", data: { ...position, retry_ms: RECONNECT_DELAY_MS } }) +
      format.connectionEvent({ type: "stream_expired", data: position });
  }
}
