import { RunEnded } from "./end-reason.ts";

/** What a run needs at its end to store its answer and its log, in milliseconds. */
const timeToEnd = 10_000;

/**
 * What a run is ended with from outside; by itself it ends the run in order before the function's own time is up.
 * @param remainingTime of the function, in milliseconds
 */
export function runEnding(remainingTime: number): AbortController {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new RunEnded("deadline")), Math.max(0, remainingTime - timeToEnd));
  timer.unref();
  return controller;
}
