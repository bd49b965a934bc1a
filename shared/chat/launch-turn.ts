import { launchRun, type Run } from "../runs/run.ts";
import { runEvents } from "./pipeline.ts";
import type { Turn } from "./turn.ts";

/**
 * Starts the run that answers a turn.
 * @param controller ends the run when aborted with a `RunEnded`
 * @param afterSeq last sequence number in the log, for a turn that resumes
 */
export function launchTurn(turn: Turn, controller: AbortController, afterSeq = 0): Run {
  return launchRun({ principal: turn.principal, run: turn.run, events: runEvents(turn) }, controller, afterSeq);
}
