/** Why a run was ended from outside. */
export type EndReason = "stopped" | "deadline" | "shutdown";

/** What a run's signal is aborted with. */
export class RunEnded extends Error {
  override name = "RunEnded";
  readonly reason: EndReason;
  constructor(reason: EndReason) {
    super(`The run was ended: ${reason}`);
    this.reason = reason;
  }
}

/** Why the run of this signal was ended; null while nobody ended it. */
export function endReasonOf(signal: AbortSignal): EndReason | null {
  return signal.reason instanceof RunEnded ? signal.reason.reason : null;
}
