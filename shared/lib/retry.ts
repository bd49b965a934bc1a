import { setTimeout as sleep } from "node:timers/promises";
import { now } from "./clock.ts";

/**
 * Returns the milliseconds to wait before a retry: exponential backoff with full jitter, by default starting at up to 50 ms and capped at
 * one second.
 * @param attempt number of attempts so far
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const retryDelayMs = (attempt: number, { baseMs = 25, maxMs = 1_000 } = {}): number =>
  Math.random() * Math.min(maxMs, baseMs * 2 ** attempt);

/** Waits before a retry as `retryDelayMs` says. */
export const retryDelay = (attempt: number, limits?: { baseMs?: number; maxMs?: number }): Promise<void> =>
  sleep(retryDelayMs(attempt, limits));

interface RetryOptions {
  /** Maximum number of attempts, including the first. */
  readonly maxAttempts: number;
  /** Returns true if another attempt may succeed; by default, every error is retried. */
  readonly isRetryable?: (error: unknown) => boolean;
  /** Returns the error to throw after the last attempt; by default, the error of that attempt. */
  readonly toError?: () => Error;
}

/**
 * Repeats work with exponential backoff.
 * @throws the first error that is not retryable; the error of `toError` after the last attempt
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  { maxAttempts, isRetryable, toError }: RetryOptions,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (isRetryable?.(error) === false) throw error;
      if (attempt >= maxAttempts) throw toError?.() ?? error;
      await retryDelay(attempt);
    }
  }
}

/**
 * Calls `work` with all parts, then with the parts that it returns as not done, until there are none. Backs off exponentially
 * between the calls. The number of attempts is not limited here: `work` throws to give up.
 */
export async function retryRest<Part>(
  all: readonly Part[],
  work: (pending: readonly Part[], attempt: number) => Promise<readonly Part[]>,
): Promise<void> {
  let pending = all;
  for (let attempt = 1; pending.length > 0; attempt++) {
    if (attempt > 1) await retryDelay(attempt - 1);
    pending = await work(pending, attempt);
  }
}

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
