import { now, timestamp } from "../lib/clock.ts";
import { connectionText, eventId, frameText, isTerminal, type PublicEvent, type RunEvent } from "./events.ts";
import type { FrameSource } from "./frame-feed.ts";

/** How long a connection shows a run before it hands over, and how long it may be silent, in milliseconds. */
const streamTime = 60_000;
const longestSilence = 10_000;

/** How long a client waits before it follows a run that goes on after the hand-over, in milliseconds. */
const reconnectAfter = 500;

/** A run to show, and what bounds the showing. */
export interface StreamOptions {
  readonly messageId: string;
  readonly source: FrameSource<RunEvent | PublicEvent>;
  /** The last frame that the reader has already; 0 for none. */
  readonly afterSeq?: number;
  /** Epoch seconds at which the caller's credential expires; null where it does not. */
  readonly expiresAt: number | null;
}

/** A run as `text/event-stream`: its frames as they come, comments in silence, and one terminal event in any case. */
export async function* eventStream(options: StreamOptions): AsyncGenerator<string, void> {
  const { messageId, source, expiresAt } = options;
  const streamEnd = now() + streamTime;
  const tokenEnd = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt * 1_000;
  let seq = options.afterSeq ?? 0;
  for (;;) {
    const rest = Math.min(streamEnd, tokenEnd) - now();
    if (rest <= 0) break;
    const frames = await source.next(seq, Math.min(rest, longestSilence));
    // Nothing at all would leave some connections hanging.
    if (!frames) return yield ": the run has ended\n\n";
    if (frames.length > 0) yield frames.map((frame) => frameText(messageId, frame)).join("");
    else if (rest > longestSilence) yield ": still here\n\n";
    const last = frames.at(-1);
    if (last && isTerminal(last.event)) return;
    seq = last?.seq ?? seq;
  }
  if (tokenEnd <= streamEnd) {
    yield connectionText({ type: "token_expired", data: { expired_at: timestamp(tokenEnd), message_id: messageId } });
  } else {
    const place = { message_id: messageId, last_event_id: seq > 0 ? eventId(messageId, seq) : null };
    yield connectionText({ type: "reconnect", data: { ...place, retry_ms: reconnectAfter } }) +
      connectionText({ type: "stream_expired", data: place });
  }
}
