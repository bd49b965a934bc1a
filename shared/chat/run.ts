import type { ProblemCode } from "../api/problem-codes.ts";
import { findMessage, type StoredMessage } from "../data/message-store.ts";
import { notFound, ServiceError } from "../errors.ts";
import { log } from "../log.ts";
import type { RunEvent } from "./events.ts";
import { FrameFeed } from "./frame-feed.ts";
import { runEvents } from "./pipeline.ts";
import { RunLog } from "./run-log.ts";
import type { Turn } from "./turn.ts";

/** A run under way in this process; nothing about it depends on anybody watching. */
export interface Run {
  readonly messageId: string;
  readonly feed: FrameFeed;
  /** Fulfilled when the run has ended and all of it is stored; never rejected. */
  readonly finished: Promise<void>;
}

/** Sets a run going. */
export function launchRun(turn: Turn): Run {
  const feed = new FrameFeed();
  return { messageId: turn.messageId, feed, finished: drive(turn, feed) };
}

async function drive(turn: Turn, feed: FrameFeed): Promise<void> {
  const runLog = new RunLog(turn.principal, turn.messageId);
  let seq = 0;
  const show = (event: RunEvent) => {
    const frame = { seq: ++seq, event };
    runLog.add(frame);
    feed.push(frame);
  };
  try {
    for await (const event of runEvents(turn)) show(event);
  } catch (error) {
    // Not even the ending could be stored: say so to whoever watches.
    log.error("run could not be ended", { message_id: turn.messageId, error });
    show({
      type: "error",
      data: {
        code: "internal_error",
        message: "The answer could not be stored.",
        status: 500,
        request_id: turn.requestId,
        message_id: turn.messageId,
      },
    });
  }
  feed.close();
  await runLog.settled();
}

/**
 * The answer of a run, once that has ended.
 * @throws ServiceError as the run failed
 */
export async function answerOf(turn: Turn, run: Run): Promise<StoredMessage> {
  await run.finished;
  const last = (await run.feed.from(0, 0)).at(-1)?.event;
  if (last?.type === "error") throw new ServiceError(last.data.code as ProblemCode, last.data.message);
  const answer = await findMessage(turn.principal, turn.conversation.id, turn.messageId);
  if (!answer) throw notFound();
  return answer;
}
