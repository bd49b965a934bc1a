import { RunEnded } from "./end-reason.ts";

/** What a run needs at its end to store its answer and its log, in milliseconds. */
const timeToEnd = 10_000;

/** A signal that ends a run in order before the function's own time is up. */
export function runSignal(remainingTime: number): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new RunEnded("deadline")), Math.max(0, remainingTime - timeToEnd));
  timer.unref();
  return controller.signal;
}
