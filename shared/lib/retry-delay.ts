import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits before another attempt: exponential with full jitter, 25 ms doubled per attempt, at most one second.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export async function retryDelay(attempt: number): Promise<void> {
  await sleep(Math.random() * Math.min(1_000, 25 * 2 ** attempt));
}
