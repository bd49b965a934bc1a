import { now } from "../lib/clock.ts";

/** Time to reserve at the end of a run for storing its answer and its log. */
const SHUTDOWN_MARGIN_MS = 10_000;

/**
 * Reason for ending a run before its answer is complete. `deadline`: the function is about to reach its timeout, or a
 * pause has lasted too long. `shutdown`: the function has died. `length`: the answer has its maximum size.
 */
export type EndReason = "stopped" | "deadline" | "shutdown" | "length";

/** Reason with which the signal of a run is aborted. */
export class RunEnded extends Error {
  override name = "RunEnded";
  readonly reason: EndReason;
  constructor(reason: EndReason) {
    super(`The run was ended: ${reason}`);
    this.reason = reason;
  }
}

/** Returns the reason for ending the run of this signal, or null if its run was not ended. */
export function findEndReason(signal: AbortSignal): EndReason | null {
  return signal.reason instanceof RunEnded ? signal.reason.reason : null;
}

/** Timeout of the functions that generate answers. */
export const FUNCTION_TIMEOUT_MS = 15 * 60_000;

/**
 * Controller whose signal ends a run. It aborts by itself with `deadline` shortly before the function reaches its
 * timeout.
 */
export class RunController extends AbortController {
  /** Epoch milliseconds at which the controller aborts by itself. */
  readonly endsAt: number;

  constructor(remainingTimeMs: number) {
    super();
    const delayMs = Math.max(0, remainingTimeMs - SHUTDOWN_MARGIN_MS);
    this.endsAt = now() + delayMs;
    setTimeout(() => this.abort(new RunEnded("deadline")), delayMs).unref();
  }
}
