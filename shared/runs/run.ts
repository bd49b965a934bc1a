import type { ProblemCode } from "../api/problem-codes.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { requireFound, ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { coalesceDeltas } from "./coalesce-deltas.ts";
import { type Frame, isTerminal, type RunEvent } from "./events.ts";
import { FrameFeed, type FrameSource } from "./frame-feed.ts";
import { LogFollower } from "./log-follower.ts";
import { storeLoggedAnswer } from "./reap-dead-run.ts";
import { startRunHeartbeat } from "./run-heartbeat.ts";
import { RunLog } from "./run-log.ts";
import { RunMetrics } from "./run-metrics.ts";
import { removeOrphanedRun, type StoredRun } from "./run-store.ts";
import { streamingMessage } from "./streaming-messages.ts";

/** Run that this process executes. It continues when the client's connection ends. */
export interface Run {
  readonly messageId: string;
  readonly record: StoredRun;
  readonly feed: FrameFeed;
  /** Resolves when the run has ended or paused and everything is stored; never rejects. */
  readonly finished: Promise<void>;
}

interface RunStart {
  readonly principal: TenantScope;
  readonly run: StoredRun;
  readonly events: AsyncIterable<RunEvent>;
  /** True to send each frame to clients only after it was stored (`Prefer: durable`). */
  readonly isDurable?: boolean;
}

/**
 * Starts a run in the background.
 * @param controller ends the run when it is aborted with a `RunEnded`
 * @param afterSeq last sequence number in the log of a run that resumes
 */
export function launchRun(start: RunStart, controller: AbortController, afterSeq = 0): Run {
  const feed = new FrameFeed(afterSeq);
  return {
    messageId: start.run.message_id,
    record: start.run,
    feed,
    finished: executeRun(start, feed, controller),
  };
}

async function executeRun(
  { principal, run, events, isDurable = false }: RunStart,
  feed: FrameFeed,
  controller: AbortController,
): Promise<void> {
  const { message_id: messageId, request_id } = run;
  const show = (frames: readonly Frame[]) => {
    for (const frame of frames) feed.push(frame);
  };
  const runLog = new RunLog(principal, messageId, isDurable ? show : undefined);
  const heartbeat = startRunHeartbeat(principal, messageId, runLog, controller);
  let lastSeq = feed.lastSeq;
  let isStored = true;
  const metrics = new RunMetrics(run);
  const emit = (event: RunEvent) => {
    metrics.observe(event);
    const frame = { seq: ++lastSeq, event };
    runLog.add(frame);
    if (!isDurable) feed.push(frame);
  };
  try {
    await coalesceDeltas(events, emit);
  } catch (error) {
    // The pipeline turns failures into a terminal event, so it throws only if it could not store the answer.
    isStored = false;
    log.error("run result not stored", { message_id: messageId, error });
    const message = "The answer could not be stored.";
    emit({ type: "error", data: { code: "internal_error", message, status: 500, request_id, message_id: messageId } });
  }
  metrics.report();
  await runLog.drain();
  heartbeat.stop();
  if (!isStored) {
    await storeLoggedAnswer(principal, run).catch((error) =>
      log.error("logged answer not stored", { message_id: messageId, error }),
    );
  }
  await removeOrphanedRun(principal, run).catch((error) =>
    log.error("orphan cleanup failed", { message_id: messageId, error }),
  );
  // A paused run resumes in another function; readers of this process follow it through its log.
  feed.continueWith(new LogFollower(principal, run));
}

/** Maximum time to wait for a complete answer. CloudFront closes a connection whose origin is silent for 60 s. */
const ANSWER_TIMEOUT_MS = 50_000;

/**
 * Waits for the answer of a run.
 * @returns the stored answer, or an empty one with the status `streaming` if the run takes longer than 50 s
 * @throws ServiceError the error that the run ended with
 */
export async function waitForAnswer(scope: TenantScope, run: StoredRun, source: FrameSource): Promise<StoredMessage> {
  let last: Frame | undefined;
  for (const deadline = now() + ANSWER_TIMEOUT_MS; !last || !isTerminal(last.event); ) {
    if (now() >= deadline) return streamingMessage(run);
    last = (await source.next(last?.seq ?? 0, deadline - now()))?.at(-1) ?? last;
  }
  const { event } = last;
  if (event.type === "error") throw new ServiceError(event.data.code as ProblemCode, event.data.message);
  return requireFound(await findMessage(scope, run.conversation_id, run.message_id));
}
