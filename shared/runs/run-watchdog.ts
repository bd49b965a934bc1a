import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { closeIfDead } from "./reap-dead-run.ts";
import { findRun } from "./run-store.ts";

/** A run that somebody should look after. */
export interface WatchedRun {
  readonly tenantId: string;
  readonly messageId: string;
}

/** Seconds between two looks: a run whose function died is found within twice that. */
const lookEvery = 20;

/** The same for a run that waits for somebody's word: it can only be that nobody gives it. */
const lookAtWaitingEvery = 900;

/** Has a run looked at in a while: nobody may be there to notice that its function died. */
export async function scheduleWatch(run: WatchedRun, seconds = lookEvery): Promise<void> {
  await sendToQueue(env("WATCH_RUN_QUEUE_URL").WATCH_RUN_QUEUE_URL, JSON.stringify(run), seconds);
}

/** Looks at a run: a dead one is closed, a live one is looked at again later. */
export async function watchRun(watched: WatchedRun): Promise<void> {
  const run = await findRun(watched, watched.messageId);
  if (!run) return;
  const state = await closeIfDead(watched, run);
  if (state === "running") await scheduleWatch(watched);
  if (state === "waiting") await scheduleWatch(watched, lookAtWaitingEvery);
}
