import type { ChatPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { eventId } from "./events.ts";
import type { FrameSource } from "./frame-feed.ts";
import { LogFollower } from "./log-follower.ts";
import { findRun, readLog, type StoredRun } from "./run-store.ts";

/** A run as somebody sees it who did not start it. */
export interface FollowedRun {
  readonly run: StoredRun;
  readonly source: FrameSource;
  /** The last frame that the reader has already; 0 for none. */
  readonly afterSeq: number;
}

/**
 * A run for anybody who has that access to its conversation.
 * @throws ServiceError `not_found`, `forbidden`
 */
export async function runFor(
  principal: ChatPrincipal,
  messageId: string,
  needed: "READ" | "WRITE",
): Promise<StoredRun> {
  const run = await findRun(principal, messageId);
  if (!run) throw notFound();
  await authorizeConversation(principal, run.conversation_id, needed);
  return run;
}

/** How long after its start a run without any log may still be about to write its first segment, in milliseconds. */
const firstSegment = 60_000;

/**
 * Follows a run through its log.
 * @param place the frame after which to begin, as the client names it; from the first one without
 * @throws ServiceError `not_found`, `invalid_cursor`, or `run_expired` when what follows there is not kept any more
 */
export async function followRun(principal: ChatPrincipal, messageId: string, place?: string): Promise<FollowedRun> {
  const run = await runFor(principal, messageId, "READ");
  const afterSeq = seqOf(messageId, place);
  const old = Date.parse(run.created_at) < now() - firstSegment;
  if (old) {
    const [first] = (await readLog(principal, messageId)).frames;
    // Of a run that waited for somebody's word, the beginning goes hours before the end.
    if (!first || first.seq > afterSeq + 1) {
      throw new ServiceError("run_expired", "The stream of this reply is not kept any more; its message is.");
    }
  }
  return { run, source: new LogFollower(principal, run), afterSeq };
}

/**
 * The place in a run that a client names: `<message_id>:<seq>`; 0 without one.
 * @throws ServiceError `invalid_cursor`
 */
function seqOf(messageId: string, place: string | undefined): number {
  if (place === undefined || place === "") return 0;
  const seq = Number(/:(\d{1,8})$/.exec(place)?.[1] ?? Number.NaN);
  if (eventId(messageId, seq) !== place) {
    throw new ServiceError("invalid_cursor", "Last-Event-ID and cursor are ids of frames of this very stream.");
  }
  return seq;
}
