import { MAX_DELAY_SECONDS, sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { type LifeSign, reapDeadRun } from "./reap-dead-run.ts";
import { readRunLogEnd } from "./run-log-store.ts";
import { findRun } from "./run-store.ts";

export interface WatchedRun {
  readonly tenantId: string;
  readonly messageId: string;
  /** Id of the approval or hand-over after which the run resumed. Each resumption starts its own series of checks. */
  readonly resumedBy?: string;
  /** Sign of life that the previous check observed. */
  readonly lifeSign?: LifeSign;
}

/** Interval between checks. A dead run is detected after at most two of them (`LIVENESS_TIMEOUT_MS` in `reap-dead-run.ts`). */
const CHECK_INTERVAL_SECONDS = 20;

/** Interval between checks of a paused run, which end it when its approval has expired. */
const PAUSED_CHECK_INTERVAL_SECONDS = MAX_DELAY_SECONDS;

/** Schedules a check that ends the run if its function has died, so that this happens even if no client follows it. */
export async function scheduleRunCheck(run: WatchedRun, delaySeconds = CHECK_INTERVAL_SECONDS): Promise<void> {
  await sendToQueue(env("WATCH_RUN_QUEUE_URL").WATCH_RUN_QUEUE_URL, JSON.stringify(run), delaySeconds);
}

/**
 * Ends a run if its function has died. If the run is alive or paused, schedules the next check.
 * @returns true if the run has ended
 */
export async function checkRun(watched: WatchedRun): Promise<boolean> {
  const { lifeSign, ...next } = watched;
  const { messageId } = watched;
  // Nearly all runs have completed by their first check, which then reads one item.
  const { last } = await readRunLogEnd(watched, messageId);
  if (last?.event.type === "done") return true;
  const run = await findRun(watched, messageId);
  if (!run) return false;
  const { state, sign } = await reapDeadRun(watched, run, lifeSign);
  if (state === "running") await scheduleRunCheck({ ...next, ...(sign && { lifeSign: sign }) });
  if (state === "paused") await scheduleRunCheck(next, PAUSED_CHECK_INTERVAL_SECONDS);
  return state === "ended";
}
