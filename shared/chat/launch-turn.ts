import type { RequestHeaders } from "../lib/request-headers.ts";
import { admitRun } from "../runs/admit-run.ts";
import { launchRun, type Run } from "../runs/run.ts";
import type { RunController } from "../runs/run-controller.ts";
import { summarizeConversation } from "./context/summarize.ts";
import { executeTurn } from "./pipeline.ts";
import type { Turn } from "./turn.ts";

interface LaunchOptions {
  /** Last sequence number in the log of a run that resumes. */
  readonly afterSeq?: number;
  /** True to send each frame to clients only after it was stored. */
  readonly isDurable?: boolean;
}

/**
 * Returns true if the request has the header `Prefer: durable` (syntax of RFC 7240): the client wants frames only after
 * they were stored.
 */
export const prefersDurable = ({ prefer = "" }: RequestHeaders): boolean =>
  prefer.split(",").some((preference) => preference.trim().toLowerCase() === "durable");

/**
 * Starts the run that answers a turn. `finished` also waits for the summary of a long conversation.
 * @param controller ends the run early when it is aborted with a `RunEnded`
 */
export function launchTurn(turn: Turn, controller: RunController, options: LaunchOptions = {}): Run {
  const { afterSeq, isDurable = false } = options;
  turn.endsAt = controller.endsAt;
  const start = { principal: turn.principal, run: turn.run, events: executeTurn(turn), isDurable };
  const launched = launchRun(start, controller, afterSeq);
  return { ...launched, finished: launched.finished.then(() => summarizeConversation(turn)) };
}

/**
 * Begins a turn and starts its run if this process has capacity for another run.
 * @param begin stores the question and the run
 * @throws ServiceError `unavailable` without capacity, before `begin` is called; or the error of `begin`
 */
export async function admitTurn(
  begin: () => Promise<Turn>,
  controller: RunController,
  options: LaunchOptions = {},
): Promise<Run> {
  const release = admitRun();
  try {
    const run = launchTurn(await begin(), controller, options);
    void run.finished.then(release);
    return run;
  } catch (error) {
    release();
    throw error;
  }
}
