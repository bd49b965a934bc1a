import { setTimeout as sleep } from "node:timers/promises";
import { now } from "./clock.ts";

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;

/**
 * Repeats work that must not be lost until it succeeds, with exponential backoff.
 * @param isRetryable tells whether an error may be temporary
 * @param deadlineMs epoch milliseconds after which no further attempt starts
 * @throws the error of the last attempt
 */
export async function retryUntil<Result>(
  work: () => Promise<Result>,
  isRetryable: (error: unknown) => boolean,
  deadlineMs: number,
): Promise<Result> {
  for (let delayMs = MIN_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || now() + delayMs > deadlineMs) throw error;
      await sleep(delayMs);
    }
  }
}
