import { MAX_BODY_BYTES, MEBIBYTE } from "../api/limits.ts";
import { type KeyBearer, parseIdentityHeader, type UserPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import { noRoute, notFound, rateLimited, ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { countMetric } from "../lib/metrics.ts";
import { type AccessRights, resolveAccessRights } from "../tenancy/access-rights.ts";
import { admitPerson, authorizeActAs } from "../tenancy/act-as.ts";
import { findEmbedKey } from "../tenancy/embed-key-store.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { findApiKey, findScopeViolation } from "../tenancy/key-scopes.ts";
import {
  getOrCreateTenant,
  getTenant,
  rejectSuspended,
  requireActiveTenant,
  requireIssuer,
} from "../tenancy/tenant-store.ts";
import { admitUser, requireActiveUser } from "../tenancy/user-store.ts";
import { verifyUserKey } from "../tenancy/verify-user-key.ts";
import { allowsOrigin } from "./cors.ts";
import type { RateLimiter } from "./rate-limiters.ts";
import type { Principal, RequestContext } from "./request-context.ts";
import { validate } from "./validate.ts";

/** Step of the middleware chain: extends the request context or throws a `ServiceError`, which becomes the response. */
export type Step = (context: RequestContext) => Promise<void> | void;

/** Rejects requests that bypass CloudFront, with 404. Function URLs are public, but only CloudFront may call them. */
export const requireCloudFront: Step = ({ http }) => {
  if (!http.isFromCloudFront) throw notFound();
};

/**
 * Rejects requests with a method other than the route's, because CloudFront selects functions by path only. HEAD counts
 * as GET.
 */
export const requireMethod: Step = ({ contract, http }) => {
  const method = http.method === "HEAD" ? "GET" : http.method;
  if (method !== contract.method) throw noRoute();
};

/**
 * Verifies the API key of a request to `/v1`. The Lambda authorizer only recognizes such a key and leaves its
 * verification to this step.
 */
async function verifyBearerKey({ http }: RequestContext, { claims }: KeyBearer): Promise<UserPrincipal> {
  const { address, headers } = http;
  if (claims && claims.expiresAtMs <= now()) throw new ServiceError("unauthorized", "The token has expired.");
  return verifyLimited(address, () => verifyUserKey(headers, claims), { readsTable: true, headers });
}

/**
 * Reads the caller from the context that the Lambda authorizer returned. API Gateway caches this context, so the expiry
 * of the credential is checked again.
 * @throws ServiceError `rate_limited` for an address with too many invalid credentials, which the authorizer cannot
 * reject with 429 itself; `unauthorized`
 */
export const readAuthorizerContext: Step = async (context) => {
  if (context.contract.auth === "none") return;
  const { principal: authorized, refused_until } = context.http.authorizer ?? {};
  if (refused_until !== undefined) throw rateLimited(Number(refused_until), now(), "Too many invalid credentials. ");
  const principal = JSON.parse(String(authorized ?? "null")) as Principal | KeyBearer;
  if (!principal) throw new ServiceError("unauthorized");
  if (principal.kind === "key-bearer") {
    context.principal = await verifyBearerKey(context, principal);
    return;
  }
  if (principal.expiresAt !== null && principal.expiresAt <= now() / 1_000) {
    throw new ServiceError("unauthorized", "The credential has expired.");
  }
  context.principal = principal;
};

/** Returns a function that resolves the rights of a user on its first call. */
function lazyRights(principal: UserPrincipal): () => Promise<AccessRights> {
  let rights: Promise<AccessRights> | undefined;
  return () => {
    rights ??= resolveAccessRights(principal);
    return rights;
  };
}

/**
 * Returns false once the tenant is suspended or the user deactivated, so that an open stream must end. Any other error,
 * such as an unavailable table, counts as active.
 */
export async function isActiveUser(principal: UserPrincipal): Promise<boolean> {
  const { userId, apiKey } = principal;
  const userIds = [userId, ...(apiKey ? [apiKey.creatorId] : [])];
  try {
    await Promise.all([requireActiveTenant(principal), ...userIds.map((id) => requireActiveUser(principal, id))]);
    return true;
  } catch (error) {
    return !(error instanceof ServiceError && error.code === "forbidden");
  }
}

/**
 * Loads the tenant, creates the records of tenant and user on the first request, and prepares the access rights.
 * @throws ServiceError `forbidden` for a suspended tenant or a deactivated user
 */
export const recordCaller: Step = async (context) => {
  const { principal } = context;
  // The operator of the deployment belongs to no tenant.
  if (!principal || principal.kind === "deployment") return;
  if (principal.kind !== "user") {
    context.tenant = await getTenant(principal);
    rejectSuspended(context.tenant);
    return;
  }
  const { userId, externalId, provider, name, email, groupNames, apiKey } = principal;
  // An access token names a user, whose roles are those on record.
  const token_groups = groupNames && [...groupNames];
  const ofToken = { roles: [...principal.roles], name, email, ...(token_groups && { token_groups }) };
  const profile = provider === "access_token" ? undefined : ofToken;
  const [tenant, { roles, external_id }] = await Promise.all([
    getOrCreateTenant(principal),
    profile ? admitUser(principal, userId, { profile, externalId }) : admitPerson(principal, principal),
    apiKey && requireActiveUser(principal, apiKey.creatorId),
  ]);
  rejectSuspended(tenant);
  if (principal.issuerId) await requireIssuer(principal, tenant, principal.issuerId);
  const caller = profile ? principal : { ...principal, roles, ...(external_id && { externalId: external_id }) };
  Object.assign(context, { tenant, principal: caller, rights: lazyRights(caller) });
};

/**
 * Requires that the API key or embed key allows the origin of the page. Requests without an `Origin` header pass,
 * because most clients other than browsers send none. An API key without origins also allows clients that send one, but
 * no page can read the response.
 */
export const requireAllowedOrigin: Step = async (context) => {
  const { principal, http } = context;
  const apiKey = principal && findApiKey(principal);
  if (apiKey && http.headers.origin !== undefined) {
    context.originDenied = !allowsOrigin(apiKey, http.headers.origin);
    if (context.originDenied && apiKey.allowedOrigins.length > 0) {
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

/** Rejects requests of pages of other origins, unless the API key allows them. */
export const requireOwnOrigin: Step = ({ http: { headers, baseUrl }, principal }) => {
  const { origin } = headers;
  if (origin === undefined || origin === baseUrl) return;
  const apiKey = principal && findApiKey(principal);
  if (!apiKey || !allowsOrigin(apiKey, origin)) throw new ServiceError("origin_not_allowed");
};

/**
 * Enforces a rate limit. If the limiter is unavailable, requests are admitted, so that its failure causes no outage.
 * @throws ServiceError `rate_limited`
 */
export const enforceRateLimit =
  (consume: RateLimiter): Step =>
  async (context) => {
    try {
      context.rateLimit = await consume(context);
    } catch (error) {
      log.error("rate limiter unavailable", { request_id: context.requestId, error });
      countMetric("rate_limiter_failed");
      return;
    }
    if (context.rateLimit?.admitted === false) throw rateLimited(context.rateLimit.resetAt, now());
  };

/**
 * Makes the user whom `X-On-Behalf-Of` names the caller. Runs after the rate limit, which bounds the number of users
 * that a key can create.
 */
export const actOnBehalf: Step = async (context) => {
  const { principal, http } = context;
  const name = http.headers["x-on-behalf-of"];
  if (principal?.kind !== "user" || name === undefined) return;
  const user = await authorizeActAs(principal, parseIdentityHeader(name));
  context.principal = user;
  context.rights = lazyRights(user);
};

/**
 * Requires the capability that the contract names, if any.
 * @throws ServiceError `forbidden`
 */
export const requireCapability: Step = async ({ contract, rights }) => {
  if (contract.capability && !(await rights()).permissions.has(contract.capability)) {
    throw new ServiceError("forbidden", `This operation requires the capability ${contract.capability}.`);
  }
};

/**
 * Requires that the scopes of the caller's API key, if there is one, include the route.
 * @throws ServiceError `forbidden`
 */
export const requireScope: Step = ({ contract, principal }) => {
  const violation = principal && findScopeViolation(principal, contract);
  if (violation) throw new ServiceError("forbidden", violation);
};

/**
 * Size limit of a form with files, in bytes. Lambda limits events to 6 MB, and Base64 makes the body a third longer.
 */
export const maxFormBytes = 4_500_000;

export const isFormData = (contentType: string | undefined): boolean =>
  /^multipart\/form-data\b/i.test(contentType ?? "");

/**
 * Requires a body of at most `maxBytes`. Runs before the body is parsed.
 * @throws ServiceError `invalid_structure` without a body, `payload_too_large`
 */
export function requireBody({ length }: Buffer, maxBytes = MAX_BODY_BYTES): void {
  if (length === 0) throw new ServiceError("invalid_structure", "The request body must be a JSON object.");
  if (length <= maxBytes) return;
  const limit = Math.floor(maxBytes / MEBIBYTE);
  throw new ServiceError("payload_too_large", `The request body exceeds the limit of ${limit} MiB.`);
}

/** Returns true for a body that is absent, blank or `{}`. Some clients send such a body with every request. */
const isEmptyBody = (body: Buffer): boolean => /^(?:\{\s*\})?$/.test(body.toString("latin1").trim());

/**
 * Validates path, query and parsed body against the contract. A body is rejected on routes that take none, instead of
 * being ignored.
 * @throws ServiceError `invalid_structure`, `not_found` or `validation_failed`
 */
export function validateInput(context: RequestContext, body: unknown, isForm: boolean): void {
  const { http } = context;
  // The handler validates the fields of a form.
  const contract = isForm ? { ...context.contract, body: undefined } : context.contract;
  if (contract.body && (typeof body !== "object" || body === null || Array.isArray(body))) {
    throw new ServiceError("invalid_structure");
  }
  // Routes for any method redirect or refuse a request, whose body belongs to another route.
  if (!context.contract.body && context.contract.method !== "ANY" && !isEmptyBody(http.rawBody)) {
    throw new ServiceError("invalid_structure", "This operation takes no request body. Send none, or {}.");
  }
  context.input = validate(contract, { params: http.params, query: http.query, body });
}
