import type { ProblemCode } from "../api/problem-codes.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { RunEnded } from "./end-reason.ts";
import { type Frame, isTerminal, type RunEvent } from "./events.ts";
import { FrameFeed, type FrameSource } from "./frame-feed.ts";
import { LogFollower } from "./log-follower.ts";
import { tendRun } from "./run-heartbeat.ts";
import { RunLog } from "./run-log.ts";
import { removeOrphan, type StoredRun } from "./run-store.ts";
import { underWay } from "./streaming-messages.ts";

/** A run under way in this process; nothing about it depends on anybody watching. */
export interface Run {
  readonly messageId: string;
  readonly source: FrameFeed;
  /** Fulfilled when the run has ended and all of it is stored; never rejected. */
  readonly finished: Promise<void>;
}

/** A run about to start: its record, and the generator that produces its events. */
export interface RunStart {
  readonly principal: TenantScope;
  readonly run: StoredRun;
  readonly events: AsyncIterable<RunEvent>;
}

/**
 * Starts a run in the background.
 * @param ending ends the run when aborted with a `RunEnded`
 * @param afterSeq last sequence number in the log, for a run that resumes
 */
export function launchRun(start: RunStart, ending: AbortController, afterSeq = 0): Run {
  const source = new FrameFeed(afterSeq);
  return { messageId: start.run.message_id, source, finished: drive(start, source, ending) };
}

async function drive({ principal, run, events }: RunStart, feed: FrameFeed, ending: AbortController): Promise<void> {
  const { message_id: messageId, request_id } = run;
  const runLog = new RunLog(principal, messageId, () => ending.abort(new RunEnded("shutdown")));
  const tending = tendRun(principal, messageId, runLog, ending);
  const show = (event: RunEvent) => {
    const frame = { seq: feed.lastSeq + 1, event };
    runLog.add(frame);
    feed.push(frame);
  };
  try {
    for await (const event of events) show(event);
  } catch (error) {
    // Not even the ending could be stored: say so to whoever watches.
    log.error("run could not be ended", { message_id: messageId, error });
    const message = "The answer could not be stored.";
    show({ type: "error", data: { code: "internal_error", message, status: 500, request_id, message_id: messageId } });
  }
  tending.end();
  await runLog.settled();
  await removeOrphan(principal, run).catch((error) =>
    log.error("orphan not looked for", { message_id: messageId, error }),
  );
  // A run that paused goes on in another function: who watches it here sees that through its log.
  feed.goOnWith(new LogFollower(principal, run));
}

/** How long somebody waits for a whole answer, in milliseconds: CloudFront gives an origin up that is silent for a minute. */
const patience = 50_000;

/**
 * The answer of a run once that has ended, or after most of a minute as it stands: `streaming`.
 * @throws ServiceError as the run failed
 */
export async function answerOf(scope: TenantScope, run: StoredRun, source: FrameSource): Promise<StoredMessage> {
  let last: Frame | undefined;
  for (const until = now() + patience; !last || !isTerminal(last.event); ) {
    if (now() >= until) return underWay(run);
    last = (await source.next(last?.seq ?? 0, until - now()))?.at(-1) ?? last;
  }
  const { event } = last;
  if (event.type === "error") throw new ServiceError(event.data.code as ProblemCode, event.data.message);
  const answer = await findMessage(scope, run.conversation_id, run.message_id);
  if (!answer) throw notFound();
  return answer;
}
