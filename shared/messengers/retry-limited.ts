import { setTimeout as sleep } from "node:timers/promises";
import type { GuardedResponse } from "../lib/outgoing/guarded-request.ts";

/**
 * Maximum number of attempts of a rate-limited request, and maximum pause between them that a messenger may request.
 */
const [MAX_ATTEMPTS, MAX_PAUSE_SECONDS] = [5, 60];

/**
 * Sends a request, and repeats it if the messenger limits the rate (status 429), after the pause in `Retry-After`.
 * Other failed requests are not repeated, because the message may have been posted.
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
