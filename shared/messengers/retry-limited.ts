import { setTimeout as sleep } from "node:timers/promises";
import type { GuardedResponse } from "../lib/outgoing/guarded-request.ts";

/** Attempts when a messenger limits the rate, and the longest pause that it may ask for. */
const [MAX_ATTEMPTS, MAX_PAUSE_SECONDS] = [5, 60];

/**
 * Repeats a request that a messenger limits (429), after the pause that it asks for. No other request is repeated, because
 * the messenger may have posted the message.
 * @returns the last response
 */
export async function retryLimited<Result extends { readonly response: GuardedResponse }>(
  send: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const result = await send();
    const { status, headers } = result.response;
    const seconds = Number(headers["retry-after"] ?? 1) || 1;
    if (status !== 429 || attempt === MAX_ATTEMPTS || seconds > MAX_PAUSE_SECONDS) return result;
    await sleep(seconds * 1_000);
  }
}
