import type { ChatPrincipal } from "../auth/principal.ts";
import { authorizeConversation, openConversation } from "../conversations/authorize-conversation.ts";
import { now } from "../lib/clock.ts";
import { requireFound, ServiceError } from "../lib/errors.ts";
import { eventId, isTerminal, REAPED_END } from "./events.ts";
import type { FrameSource } from "./frame-feed.ts";
import { LogFollower } from "./log-follower.ts";
import { readRunLog, readRunLogEnd } from "./run-log-store.ts";
import { findRun, type StoredRun } from "./run-store.ts";

/** Run whose frames are read from its log, because another process executes it or has executed it. */
interface FollowedRun {
  readonly run: StoredRun;
  readonly source: FrameSource;
  /** `seq` of the last frame that the client has received; 0 for none. */
  readonly afterSeq: number;
  /** True if the client has already received the terminal event. */
  readonly isComplete: boolean;
}

/**
 * Returns a run if the principal may write in its conversation.
 * @throws ServiceError `not_found`, or `forbidden` if the access is too low
 */
export async function authorizeRun(principal: ChatPrincipal, messageId: string): Promise<StoredRun> {
  const run = requireFound(await findRun(principal, messageId));
  await authorizeConversation(principal, run.conversation_id, "WRITE");
  return run;
}

/** Age up to which the log of a run may still be empty. */
const FIRST_SEGMENT_TIMEOUT_MS = 60_000;

/**
 * Prepares to stream a run from its log.
 * @param lastEventId id of the last event that the client received; without it, the stream starts at the first event
 * @throws ServiceError `not_found`, `invalid_cursor` if `lastEventId` is no event of this run, or `run_expired` if the
 * next part of the log has expired
 */
export async function followRun(
  principal: ChatPrincipal,
  messageId: string,
  lastEventId?: string,
): Promise<FollowedRun> {
  const run = requireFound(await findRun(principal, messageId));
  await openConversation(principal, run.conversation_id);
  const afterSeq = parseEventId(messageId, lastEventId);
  const { last, isReaped } = afterSeq > 0 ? await readRunLogEnd(principal, messageId) : {};
  const isEnded = last !== undefined && isTerminal(last.event);
  // The log of a run in progress, or of one that the reaper ended, does not prove that an event never existed: clients may have
  // received events that are not in the log.
  const isReapedEnd = lastEventId?.endsWith(REAPED_END) ?? false;
  if (isEnded && afterSeq > last.seq && !isReaped) throw invalidEventId();
  if (isReapedEnd && !(isEnded && afterSeq === last.seq && isReaped)) throw invalidEventId();
  if (Date.parse(run.created_at) < now() - FIRST_SEGMENT_TIMEOUT_MS) {
    const [first] = (await readRunLog(principal, messageId)).frames;
    // The segments of a run that paused can expire hours apart, the oldest first.
    if (!first || first.seq > afterSeq + 1) {
      throw new ServiceError("run_expired", "The stream of this reply has expired; read the message instead.");
    }
  }
  const isComplete = isEnded && afterSeq === last.seq && (!isReaped || isReapedEnd);
  return { run, source: new LogFollower(principal, run), afterSeq, isComplete };
}

const invalidEventId = () =>
  new ServiceError("invalid_cursor", "Last-Event-ID or cursor must be the id of an event of this stream.");

/**
 * Returns the sequence number in an event id `<message_id>:<seq>`, with or without `:end`; 0 without an id.
 * @throws ServiceError `invalid_cursor` if the id has another form or belongs to another run
 */
function parseEventId(messageId: string, id: string | undefined): number {
  if (id === undefined || id === "") return 0;
  const seq = Number(/:(\d{1,8})(?::end)?$/.exec(id)?.[1] ?? Number.NaN);
  if (![eventId(messageId, seq), eventId(messageId, seq) + REAPED_END].includes(id)) throw invalidEventId();
  return seq;
}
