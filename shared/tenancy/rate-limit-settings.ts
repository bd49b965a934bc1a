import type { RateLimitClass } from "../api/define-route.ts";
import { env, type SettingName } from "../lib/env.ts";

/**
 * Name of the setting for each class of rate limits; the defaults are in `lib/env.ts`. A function receives only the
 * settings for its route's class.
 */
export const rateLimitSettings = {
  tenant: "RATE_LIMIT_TENANT",
  api_key: "RATE_LIMIT_API_KEY",
  channel: "RATE_LIMIT_CHANNEL",
  shared_link: "RATE_LIMIT_SHARED_LINK",
  embed_session: "RATE_LIMIT_EMBED_SESSION",
  scim: "RATE_LIMIT_SCIM",
  health: "RATE_LIMIT_HEALTH",
  open: "RATE_LIMIT_OPEN",
} as const satisfies Record<RateLimitClass, SettingName>;

/**
 * Returns the settings for a class of rate limits. Requests of the class `tenant` may have an API key, which has its
 * own limit.
 */
export const rateLimitsOf = (rateLimit: RateLimitClass) =>
  rateLimit === "tenant" ? [rateLimitSettings.tenant, rateLimitSettings.api_key] : [rateLimitSettings[rateLimit]];

/** Returns the configured limit of a class, in requests per minute. */
export function getRateLimit(rateLimit: RateLimitClass): number {
  const name = rateLimitSettings[rateLimit];
  return Number(env(name)[name]);
}
