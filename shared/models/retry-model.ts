import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceError } from "../lib/errors.ts";
import { isRetryable } from "./provider-error.ts";

/** Maximum number of attempts with one model, including the first. */
const MAX_ATTEMPTS = 3;

/** Time within which failed attempts with a model are repeated. */
export const RETRY_WINDOW_MS = 20_000;

const BASE_DELAY_MS = 80;

/** Default delay that a provider may request before this service prefers the caller's own retry. */
const MAX_DELAY_MS = 8_000;

export interface RetryOptions {
  /** Time of `performance.now` after which no attempt starts. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Delay that the provider may request, in ms; 8 seconds by default. */
  readonly maxDelayMs?: number;
  /** Total of the delays, in ms; unlimited by default. */
  readonly maxWaitMs?: number;
  /** Called when an attempt has failed and another one will follow. */
  readonly onRetry?: (() => void) | undefined;
}

/** Returns the delay before a retry: the provider's `Retry-After`, or exponential backoff, both with jitter. */
function getDelayMs({ headers }: ServiceError, attempt: number): number {
  const requestedMs = Number(headers["retry-after"] ?? 0) * 1_000;
  return requestedMs > 0 ? requestedMs + Math.random() * 100 : BASE_DELAY_MS * 2 ** attempt * (0.5 + Math.random());
}

/**
 * Calls a model until it answers: overload, failures of the provider and lost connections are retried.
 * @param call must throw `ServiceError` only, and nothing once the answer has begun
 * @throws the last error, if it is not retryable or the limits are reached
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
