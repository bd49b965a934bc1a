import { now } from "../lib/clock.ts";
import type { RateLimitResult } from "../tenancy/rate-store.ts";

/**
 * Returns the rate limit headers of a response. Limit and remaining requests are 0 if no limit was checked. `Retry-After` comes
 * with the error (`rateLimited` in `shared/lib/errors.ts`).
 */
export function rateLimitHeaders(rateLimit: RateLimitResult | null): Record<string, string> {
  return {
    "x-ratelimit-limit": String(rateLimit?.limit ?? 0),
    "x-ratelimit-remaining": String(rateLimit?.remaining ?? 0),
    "x-ratelimit-reset": String(rateLimit?.resetAt ?? Math.floor(now() / 1_000)),
  };
}

/** Returns the headers of the tokens-per-minute limit under OpenAI's names; none without such a limit. */
export function openaiTokenHeaders(state: Omit<RateLimitResult, "admitted"> | null): Record<string, string> {
  if (!state) return {};
  return {
    "x-ratelimit-limit-tokens": String(state.limit),
    "x-ratelimit-remaining-tokens": String(state.remaining),
    "x-ratelimit-reset-tokens": `${Math.max(0, state.resetAt - Math.floor(now() / 1_000))}s`,
  };
}

/** Returns the headers of the request rate limit under OpenAI's names; none if no limit was checked. */
export function openaiRateLimitHeaders(rateLimit: RateLimitResult | null): Record<string, string> {
  if (!rateLimit) return {};
  const seconds = Math.max(0, rateLimit.resetAt - Math.floor(now() / 1_000));
  return {
    "x-ratelimit-limit-requests": String(rateLimit.limit),
    "x-ratelimit-remaining-requests": String(rateLimit.remaining),
    "x-ratelimit-reset-requests": `${seconds}s`,
  };
}
