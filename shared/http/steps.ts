import type { RateLimitClass } from "../api/define-route.ts";
import { appSecret } from "../auth/app-secret.ts";
import { type EmbedKeyPrincipal, subjectOf } from "../auth/principal.ts";
import { recordRefusal, toRefusal } from "../channels/refusal-log.ts";
import { verifyWebhook } from "../channels/verify-webhook.ts";
import { hashAddress, verifySessionId } from "../embed/visitor-ids.ts";
import { now } from "../lib/clock.ts";
import { env, type VariableName } from "../lib/env.ts";
import { noRoute, notFound, rateLimited, ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { log } from "../lib/log.ts";
import { countMetric } from "../lib/metrics.ts";
import { type AccessRights, resolveAccessRights } from "../tenancy/access-rights.ts";
import { findEmbedKey } from "../tenancy/embed-key-store.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { consumeAnonymousQuota, consumeQuota, type RateLimitResult } from "../tenancy/rate-store.ts";
import { getOrCreateTenant } from "../tenancy/tenant-store.ts";
import { ensureUser } from "../tenancy/user-store.ts";
import { allowsOrigin } from "./cors.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Principal, RequestContext } from "./request-context.ts";
import { validate } from "./validate.ts";

/** Step of the middleware chain: extends the request context or throws a `ServiceError`, which becomes the response. */
export type Step = (context: RequestContext) => Promise<void> | void;

/** Rejects requests that bypass CloudFront, because function URLs are public. */
export const requireCloudFront: Step = ({ http }) => {
  if (!http.isFromCloudFront) throw notFound();
};

/** Rejects requests with another method than the route's, because CloudFront selects functions by path only. */
export const requireMethod: Step = ({ contract, http }) => {
  const method = http.method === "HEAD" ? "GET" : http.method;
  if (method !== contract.method) throw noRoute();
};

/** Verifies the signature of a webhook delivery: an authorizer does not receive the body. */
export const authenticateWebhook: Step = async (context) => {
  const { http } = context;
  const verify = () => verifyWebhook(http, http.params.channel_id ?? "");
  context.principal = await verifyLimited(http.address, verify, { blocksBefore: true });
};

/**
 * Adds a delivery whose signature is valid, but whose content is refused, to the log of its channel. Deliveries over the
 * rate limit are not added, because the limit must spare the table.
 */
export const recordRefusedDelivery = async ({ principal }: RequestContext, error: ServiceError): Promise<void> => {
  if (principal?.kind !== "channel" || error.status >= 500 || error.code === "rate_limited") return;
  await recordRefusal(principal, principal.keyId, toRefusal(error));
};

/**
 * Reads the caller from the authorizer context. API Gateway caches it, so the expiry is checked again.
 * @throws ServiceError `rate_limited` if the authorizer let the request pass only to be refused with 429
 */
export const readAuthorizerContext: Step = (context) => {
  if (context.contract.auth === "none") return;
  const { principal: authorized, refused_until } = context.http.authorizer ?? {};
  if (refused_until !== undefined) throw rateLimited(Number(refused_until), now(), "Too many invalid credentials. ");
  const principal = JSON.parse(String(authorized ?? "null")) as Principal;
  if (!principal) throw new ServiceError("unauthorized");
  if (principal.expiresAt !== null && principal.expiresAt <= now() / 1_000) {
    throw new ServiceError("unauthorized", "The credential has expired.");
  }
  context.principal = principal;
};

/** Loads the tenant, creates tenant and user records on the first request, and makes access rights available. */
export const recordCaller: Step = async (context) => {
  const { principal } = context;
  if (!principal) return;
  const userRecorded = principal.kind === "user" ? ensureUser(principal, principal.userId) : null;
  [context.tenant] = await Promise.all([getOrCreateTenant(principal), userRecorded]);
  if (principal.kind !== "user") return;
  let rights: Promise<AccessRights> | undefined;
  context.rights = () => {
    rights ??= resolveAccessRights(principal);
    return rights;
  };
};

/**
 * Requires that the key allows the origin of the page. Most clients other than browsers send no `Origin` header; those that
 * do can use API keys without origins.
 */
export const requireAllowedOrigin: Step = async (context) => {
  const { principal, http } = context;
  if (principal?.kind === "api-key" && http.headers.origin !== undefined) {
    context.originDenied = !allowsOrigin(principal, http.headers.origin);
    if (context.originDenied && principal.allowedOrigins.length > 0) {
      throw new ServiceError("origin_not_allowed", "The API key does not allow the origin of this page.");
    }
  }
  if (principal?.kind !== "embed-key") return;
  const key = await findEmbedKey(principal, principal.keyId);
  if (!key || key.is_revoked) throw new ServiceError("unauthorized", "The embed key is invalid or revoked.");
  context.embedKey = key;
  const { origin } = http.headers;
  context.originDenied = origin !== undefined && !key.allowed_origins.includes(origin);
  if (context.originDenied) throw new ServiceError("origin_not_allowed");
};

/** Returns a configured limit in requests per minute. */
const getLimit = (name: VariableName) => Number(env(name)[name]);

/** Counts a request for its widget session, or for the client address if there is no session yet. */
function consumeEmbedSessionRateLimit(
  principal: EmbedKeyPrincipal,
  { params, address }: HttpRequest,
): Promise<RateLimitResult> {
  const limit = getLimit("RATE_LIMIT_EMBED_SESSION");
  const sessionId = params.id === undefined ? null : verifySessionId(appSecret(), principal, params.id);
  if (sessionId !== null) return consumeQuota(principal, `embed-session#${sessionId}`, limit);
  const usedKey = { kind: "embed-key", id: principal.keyId } as const;
  return consumeQuota(principal, `visitor#${hashAddress(appSecret(), address)}`, limit, usedKey);
}

/** Rate limiter by class; null if the class does not apply to the caller. */
const rateLimiters: Readonly<Record<RateLimitClass, (context: RequestContext) => Promise<RateLimitResult | null>>> = {
  tenant: async ({ principal, tenant }) =>
    principal && consumeQuota(principal, "tenant", tenant?.limits.requests_per_minute ?? getLimit("RATE_LIMIT_TENANT")),
  api_key: async ({ principal }) =>
    principal?.kind === "api-key"
      ? consumeQuota(principal, subjectOf(principal), getLimit("RATE_LIMIT_API_KEY"), {
          kind: "api-key",
          id: principal.keyId,
        })
      : null,
  embed_session: async ({ principal, http }) =>
    principal?.kind === "embed-key" ? consumeEmbedSessionRateLimit(principal, http) : null,
  channel: async ({ principal }) =>
    principal && consumeQuota(principal, subjectOf(principal), getLimit("RATE_LIMIT_CHANNEL")),
  // Tokens and client addresses are stored as hashes only.
  shared_link: ({ http }) =>
    consumeAnonymousQuota("shared-link", sha256(http.params.token ?? ""), getLimit("RATE_LIMIT_SHARED_LINK")),
  health: ({ http }) => consumeAnonymousQuota("health", sha256(http.address), getLimit("RATE_LIMIT_HEALTH")),
  open: ({ http }) => consumeAnonymousQuota("open", sha256(http.address), getLimit("RATE_LIMIT_OPEN")),
};

/** Counts the request against the caller's rate limit. */
const consumeRateLimit = (context: RequestContext) => rateLimiters[context.contract.rateLimit](context);

/** Enforces the rate limit. It fails open: an unavailable limiter must not cause an outage. */
export const enforceRateLimit: Step = async (context) => {
  try {
    context.rateLimit = await consumeRateLimit(context);
  } catch (error) {
    log.error("rate limiter unavailable", { request_id: context.requestId, error });
    countMetric("rate_limiter_failed");
    return;
  }
  if (context.rateLimit?.admitted === false) throw rateLimited(context.rateLimit.resetAt, now());
};

/** Requires the capability that the contract names, if any. */
export const requireCapability: Step = async ({ contract, rights }) => {
  if (contract.capability && !(await rights()).permissions.has(contract.capability)) {
    throw new ServiceError("forbidden", `This operation requires the capability ${contract.capability}.`);
  }
};

/** Requires that the API key has the scope that the contract names, if any. */
export const requireScope: Step = ({ contract, principal }) => {
  if (!contract.scope || principal?.kind !== "api-key" || principal.scopes.includes(contract.scope)) return;
  throw new ServiceError("forbidden", `This API key lacks the scope ${contract.scope}.`);
};

export const maxBodyBytes = 1_048_576;

/** Size limit of a form with files: Lambda limits events to 6 MB, and Base64 makes the body a third longer. */
export const maxFormBytes = 4_500_000;

/** Checks whether a content type is `multipart/form-data`. */
export const isFormData = (contentType: string | undefined): boolean =>
  /^multipart\/form-data\b/i.test(contentType ?? "");

/** Requires a body that does not exceed the size limit. Runs before the body is parsed. */
export function requireBody(body: string | null | undefined, isBase64: boolean, maxBytes = maxBodyBytes): void {
  if (body === null || body === undefined || body === "") {
    throw new ServiceError("invalid_structure", "The request body must be a JSON object.");
  }
  if (Buffer.byteLength(body, isBase64 ? "base64" : "utf8") > maxBytes) throw new ServiceError("payload_too_large");
}

/** Validates path, query and parsed body against the contract. */
export function validateInput(context: RequestContext, body: unknown, isForm: boolean): void {
  const { http } = context;
  // The handler validates the fields of a form.
  const contract = isForm ? { ...context.contract, body: undefined } : context.contract;
  if (contract.body && (typeof body !== "object" || body === null || Array.isArray(body))) {
    throw new ServiceError("invalid_structure");
  }
  context.input = validate(contract, { params: http.params, query: http.query, body });
}
