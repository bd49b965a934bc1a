import { now } from "../lib/clock.ts";
import type { Allowance } from "../tenancy/rate-store.ts";

/** Rate headers; without a usable credential there is no allowance: everything is 0. */
export function rateLimitHeaders(allowance: Allowance | null): Record<string, string> {
  return {
    "x-ratelimit-limit": String(allowance?.limit ?? 0),
    "x-ratelimit-remaining": String(allowance?.remaining ?? 0),
    "x-ratelimit-reset": String(allowance?.resetAt ?? Math.floor(now() / 1_000)),
  };
}

/** Whether a route belongs to the surface that speaks as OpenAI does. */
export function isOpenai({ path }: { readonly path: string }): boolean {
  return path.startsWith("/openai/");
}

/** Rate headers by the names OpenAI gives them; nothing without an allowance. */
export function openaiRateLimitHeaders(allowance: Allowance | null): Record<string, string> {
  if (!allowance) return {};
  const seconds = Math.max(0, allowance.resetAt - Math.floor(now() / 1_000));
  return {
    "x-ratelimit-limit-requests": String(allowance.limit),
    "x-ratelimit-remaining-requests": String(allowance.remaining),
    "x-ratelimit-reset-requests": `${seconds}s`,
  };
}
