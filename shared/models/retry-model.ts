import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceError } from "../lib/errors.ts";
import { isRetryable } from "./provider-error.ts";

/** Maximum number of attempts with one model, including the first. */
const MAX_ATTEMPTS = 3;

/** Time in ms after the first attempt within which others may start. */
export const RETRY_WINDOW_MS = 20_000;

const BASE_DELAY_MS = 80;

/**
 * Longest delay that a provider may ask for, in ms. After a longer one, the error is returned, so that the caller decides
 * when to retry.
 */
const MAX_DELAY_MS = 8_000;

export interface RetryOptions {
  /** Value of `performance.now` after which no attempt starts. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Longest delay in ms that the provider may ask for; 8 seconds by default. A longer one ends the attempts. */
  readonly maxDelayMs?: number;
  /** Maximum total delay in ms; unlimited by default. */
  readonly maxWaitMs?: number;
  /** Called after a failed attempt that is followed by another one. */
  readonly onRetry?: (() => void) | undefined;
}

/** Returns the delay before a retry: the provider's `Retry-After`, or exponential backoff, both with jitter. */
function getDelayMs({ headers }: ServiceError, attempt: number): number {
  const requestedMs = Number(headers["retry-after"] ?? 0) * 1_000;
  return requestedMs > 0 ? requestedMs + Math.random() * 100 : BASE_DELAY_MS * 2 ** attempt * (0.5 + Math.random());
}

/**
 * Calls a model up to three times. Retries overload, failures of the provider and lost connections. Fallback to
 * other models is in `try-models.ts`.
 * @param call must throw only `ServiceError`, and nothing once the answer has begun
 * @throws the last error if it is not retryable or a limit is reached
 */
export async function retryModel<Result>(call: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  let waitedMs = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isRetryable(error) || attempt + 1 >= MAX_ATTEMPTS) throw error;
      const delayMs = getDelayMs(error, attempt);
      waitedMs += delayMs;
      if (delayMs > (options.maxDelayMs ?? MAX_DELAY_MS) || waitedMs > (options.maxWaitMs ?? Infinity)) throw error;
      if (performance.now() + delayMs > options.deadline) throw error;
      options.onRetry?.();
      await sleep(delayMs, undefined, { signal: options.signal });
    }
  }
}
