import type { Route } from "../api/define-route.ts";
import type { RequestContext } from "./request-context.ts";

/** What pages of other origins may send and read. */
const allowedHeaders = "content-type, x-embed-key, idempotency-key, last-event-id, x-request-id, accept";
const exposedHeaders =
  "x-request-id, retry-after, idempotent-replayed, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

/** Whether a route is for pages of other origins. */
export function isCorsEnabled({ auth }: Pick<Route, "auth">): boolean {
  return auth === "embed-key";
}

/** The answer to a preflight: it carries no key, so it is the same for any page. @see https://fetch.spec.whatwg.org/#http-cors-protocol */
export const preflightHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": allowedHeaders,
  "access-control-max-age": "7200",
} as const;

/**
 * Lets the page read an answer, unless its origin was refused. What comes before the key's origins are known, such as that
 * the key is not valid, tells nobody anything, and its page has to tell its visitors.
 */
export function corsHeaders({ contract, http, originDenied }: RequestContext): Record<string, string> {
  if (!isCorsEnabled(contract)) return {};
  const { origin } = http.headers;
  if (origin === undefined || originDenied) return { vary: "Origin" };
  return { vary: "Origin", "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
}
