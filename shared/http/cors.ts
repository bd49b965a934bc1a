import type { Route } from "../api/define-route.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { findApiKey } from "../tenancy/key-scopes.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Request headers that pages of other origins may send, by credential. OpenAI's clients send `x-stainless-*` headers,
 * which vary by version.
 */
const allowedHeaders = {
  "embed-key": "content-type, x-embed-key, idempotency-key, last-event-id, x-request-id, accept",
  // Pages with an access token of an API key. A token of an identity provider lets no page of another origin read responses.
  jwt: "authorization, content-type, idempotency-key, if-match, last-event-id, x-request-id, accept",
  "api-key": [
    "authorization, content-type, idempotency-key, x-request-id, accept, user-agent",
    "openai-organization, openai-project, openai-beta",
    ...["lang", "package-version", "os", "arch", "runtime", "runtime-version", "retry-count", "read-timeout", "timeout"]
      .concat("helper-method", "poll-helper", "custom-poll-interval", "async", "raw-response", "stream-helper")
      .map((name) => `x-stainless-${name}`),
    // A wildcard stands for every header except `Authorization`.
    "*",
  ].join(", "),
} as const;

const allowedMethods = {
  "embed-key": "GET, POST, PUT, DELETE",
  jwt: "GET, POST, PUT, PATCH, DELETE",
  "api-key": "GET, POST, DELETE",
} as const satisfies Record<keyof typeof allowedHeaders, string>;

type CrossOriginAuth = keyof typeof allowedHeaders;
const exposedHeaders =
  "etag, link, location, x-request-id, retry-after, idempotent-replayed, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset";

const openaiExposedHeaders = `${exposedHeaders}, request-id, x-should-retry, x-completion-id, ai-disclosure, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens`;

/** Returns true if the route allows cross-origin requests. */
export function isCorsEnabled<Candidate extends Pick<Route, "auth">>(
  route: Candidate,
): route is Candidate & { readonly auth: CrossOriginAuth } {
  return route.auth in allowedHeaders;
}

/**
 * Returns the headers of every preflight response of a route. A preflight contains no key, so the response cannot
 * depend on the origin.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function preflightHeaders({ auth }: { readonly auth: CrossOriginAuth }): Record<string, string> {
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": allowedMethods[auth],
    "access-control-allow-headers": allowedHeaders[auth],
    "access-control-max-age": "7200",
  };
}

/** Returns true if a request is a CORS preflight (https://fetch.spec.whatwg.org/#cors-preflight-request). */
export const isPreflight = (method: string, headers: RequestHeaders): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** Returns true if an API key allows requests from an origin. */
export function allowsOrigin(
  { allowedOrigins }: { readonly allowedOrigins: readonly string[] },
  origin: string,
): boolean {
  return allowedOrigins.includes("*") || allowedOrigins.includes(origin);
}

/**
 * Returns the CORS headers of a response. They allow the origin unless the key rejects it. If an error occurs before
 * the key is known, such as an invalid key, the page can read it too and report it. On routes for users, pages can only
 * read responses to API keys and access tokens.
 */
export function corsHeaders({ contract, http, originDenied, principal }: RequestContext): Record<string, string> {
  if (!isCorsEnabled(contract)) return {};
  const { origin } = http.headers;
  const isUnreadable = contract.auth === "jwt" && !(principal && findApiKey(principal));
  // Pages with several widgets send the same request with different keys, which browsers must not confuse in their cache.
  const vary = contract.auth === "embed-key" ? "Origin, X-Embed-Key" : "Origin";
  if (origin === undefined || originDenied || isUnreadable) return { vary };
  return {
    vary,
    "access-control-allow-origin": origin,
    "access-control-expose-headers": contract.auth === "api-key" ? openaiExposedHeaders : exposedHeaders,
  };
}
