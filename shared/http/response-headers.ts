import type { Allowance } from "../data/rate-store.ts";

/** On every response; the service serves data, never pages that need more. */
export const securityHeaders = {
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;

/** Rate headers; without a usable credential there is no allowance: everything is 0. */
export function rateHeaders(allowance: Allowance | null): Record<string, string> {
  return {
    "x-ratelimit-limit": String(allowance?.limit ?? 0),
    "x-ratelimit-remaining": String(allowance?.remaining ?? 0),
    "x-ratelimit-reset": String(allowance?.resetAt ?? Math.ceil(Date.now() / 60_000) * 60),
  };
}
