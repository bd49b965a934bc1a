import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits before a retry: exponential backoff with full jitter, starting at 25 ms and capped at one second.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export async function retryDelay(attempt: number): Promise<void> {
  await sleep(Math.random() * Math.min(1_000, 25 * 2 ** attempt));
}
