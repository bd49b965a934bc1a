import { now } from "../clock.ts";
import type { Allowance } from "../data/rate-store.ts";

/** Rate headers; without a usable credential there is no allowance: everything is 0. */
export function rateHeaders(allowance: Allowance | null): Record<string, string> {
  return {
    "x-ratelimit-limit": String(allowance?.limit ?? 0),
    "x-ratelimit-remaining": String(allowance?.remaining ?? 0),
    "x-ratelimit-reset": String(allowance?.resetAt ?? Math.floor(now() / 1_000)),
  };
}
