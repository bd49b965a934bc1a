/** Time that a run needs at its end to store its answer and its log. */
const SHUTDOWN_MARGIN_MS = 10_000;

/** Reason for which a run is ended from outside the pipeline. */
export type EndReason = "stopped" | "deadline" | "shutdown" | "length";

/** Abort reason of a run's signal. */
export class RunEnded extends Error {
  override name = "RunEnded";
  readonly reason: EndReason;
  constructor(reason: EndReason) {
    super(`The run was ended: ${reason}`);
    this.reason = reason;
  }
}

/** Returns the reason for which the run of this signal was ended, or null if it was not. */
export function findEndReason(signal: AbortSignal): EndReason | null {
  return signal.reason instanceof RunEnded ? signal.reason.reason : null;
}

/** Returns the controller whose signal ends a run. It aborts by itself shortly before the function times out. */
export function createRunController(remainingTimeMs: number): AbortController {
  const controller = new AbortController();
  const delayMs = Math.max(0, remainingTimeMs - SHUTDOWN_MARGIN_MS);
  setTimeout(() => controller.abort(new RunEnded("deadline")), delayMs).unref();
  return controller;
}
