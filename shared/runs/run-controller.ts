import { now } from "../lib/clock.ts";

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

/** Controller whose signal ends a run. It aborts by itself shortly before the function times out. */
export class RunController extends AbortController {
  /** Epoch milliseconds at which it aborts by itself. */
  readonly endsAt: number;

  constructor(remainingTimeMs: number) {
    super();
    const delayMs = Math.max(0, remainingTimeMs - SHUTDOWN_MARGIN_MS);
    this.endsAt = now() + delayMs;
    setTimeout(() => this.abort(new RunEnded("deadline")), delayMs).unref();
  }
}
