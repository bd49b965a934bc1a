import type { RateLimitClass, Route } from "../api/define-route.ts";
import { subjectOf } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { sha256 } from "../lib/hash.ts";
import { findApiKey } from "../tenancy/key-scopes.ts";
import { getRateLimit } from "../tenancy/rate-limit-settings.ts";
import { consumeAnonymousQuota, consumeQuota, type RateLimitResult } from "../tenancy/rate-store.ts";
import type { RequestContext } from "./request-context.ts";

/** Counts a request against a rate limit. Returns null if the limit does not apply to the caller. */
export type RateLimiter = (context: RequestContext) => Promise<RateLimitResult | null>;

const consumeKeyQuota = (scope: TenantScope, id: string) =>
  consumeQuota(scope, `api-key#${id}`, getRateLimit("api_key"), { kind: "api-key", id });

/** Rate limiters by class. The one for widget sessions is in `shared/embed/embed-rate-limit.ts`. */
const rateLimiters: Readonly<Record<Exclude<RateLimitClass, "embed_session">, RateLimiter>> = {
  tenant: async ({ principal, tenant }) => {
    if (!principal) return null;
    const limit = tenant?.limits.requests_per_minute ?? getRateLimit("tenant");
    const apiKey = findApiKey(principal);
    const results = await Promise.all([
      consumeQuota(principal, "tenant", limit),
      ...(apiKey ? [consumeKeyQuota(principal, apiKey.id)] : []),
    ]);
    const room = ({ admitted, remaining }: RateLimitResult) => (admitted ? remaining : -1);
    return results.reduce((tightest, each) => (room(each) < room(tightest) ? each : tightest));
  },
  api_key: async ({ principal }) =>
    principal?.kind === "api-key" ? consumeKeyQuota(principal, principal.keyId) : null,
  // Identity providers send many requests at a time, which do not count as those of people.
  scim: async ({ principal }) => {
    if (!principal) return null;
    const apiKey = findApiKey(principal);
    const key = apiKey && ({ kind: "api-key", id: apiKey.id } as const);
    return consumeQuota(principal, "scim", getRateLimit("scim"), key);
  },
  channel: async ({ principal }) => principal && consumeQuota(principal, subjectOf(principal), getRateLimit("channel")),
  // Tokens and client addresses are stored as hashes only.
  shared_link: ({ http }) =>
    consumeAnonymousQuota("shared-link", sha256(http.params.token ?? ""), getRateLimit("shared_link")),
  health: ({ http }) => consumeAnonymousQuota("health", sha256(http.address), getRateLimit("health")),
  open: ({ http }) => consumeAnonymousQuota("open", sha256(http.address), getRateLimit("open")),
};

/**
 * Returns the rate limiter of a contract.
 * @throws Error for the class `embed_session`, whose endpoints pass their own limiter
 * (`shared/embed/embed-rate-limit.ts`)
 */
export function rateLimiterOf({ id, rateLimit }: Route): RateLimiter {
  if (rateLimit === "embed_session") throw new Error(`${id} needs the steps of its credential`);
  return rateLimiters[rateLimit];
}
