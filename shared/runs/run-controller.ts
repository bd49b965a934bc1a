import { RunEnded } from "./end-reason.ts";

/** Time that a run needs at its end to store its answer and its log. */
const SHUTDOWN_MARGIN_MS = 10_000;

/** Returns the controller whose signal ends a run. It aborts by itself shortly before the function times out. */
export function createRunController(remainingTimeMs: number): AbortController {
  const controller = new AbortController();
  const delayMs = Math.max(0, remainingTimeMs - SHUTDOWN_MARGIN_MS);
  setTimeout(() => controller.abort(new RunEnded("deadline")), delayMs).unref();
  return controller;
}
