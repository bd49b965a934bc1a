import type { Route } from "../api/define-route.ts";
import type { RequestContext } from "./request-context.ts";

const allowedHeaders = "content-type, x-embed-key, idempotency-key, last-event-id, x-request-id, accept";
const exposedHeaders =
  "x-request-id, retry-after, idempotent-replayed, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

/** Tells whether pages of other origins may call a route. */
export function isCorsEnabled({ auth }: Pick<Route, "auth">): boolean {
  return auth === "embed-key";
}

/**
 * Headers of every preflight response. A preflight carries no embed key, so the response cannot depend on the origin.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const preflightHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": allowedHeaders,
  "access-control-max-age": "7200",
} as const;

/**
 * Returns the CORS headers of a response. The origin is allowed unless the embed key rejects it. Errors raised before the
 * key's origins are known, such as an invalid key, stay readable so that the page can report them to its visitor.
 */
export function corsHeaders({ contract, http, originDenied }: RequestContext): Record<string, string> {
  if (!isCorsEnabled(contract)) return {};
  const { origin } = http.headers;
  if (origin === undefined || originDenied) return { vary: "Origin" };
  return { vary: "Origin", "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
}
