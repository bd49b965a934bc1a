import { createHash } from "node:crypto";
import type { Auth, RateLimitClass } from "../api/define-route.ts";
import { appSecret } from "../auth/app-secret.ts";
import { type EmbedKeyPrincipal, subjectOf } from "../auth/principal.ts";
import { verifyUser } from "../auth/verify-user.ts";
import { verifyWebhook } from "../channels/verify-webhook.ts";
import { addressName, conversationOfSession } from "../embed/visitors.ts";
import { now } from "../lib/clock.ts";
import { env, type VariableName } from "../lib/env.ts";
import { noRoute, notFound, rateLimited, ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { countMetric } from "../lib/metrics.ts";
import { findEmbedKey } from "../tenancy/embed-key-store.ts";
import { type AccessRights, rightsOf } from "../tenancy/permissions.ts";
import { type Allowance, drawOn, drawOnOpen } from "../tenancy/rate-store.ts";
import { tenantRecord } from "../tenancy/tenant-store.ts";
import { rememberUser } from "../tenancy/user-store.ts";
import { verifyApiKey, verifyEmbedKey } from "../tenancy/verify-key.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Principal, PrincipalByAuth, RequestContext } from "./request-context.ts";
import { validate } from "./validate.ts";

/** One step of the chain; it adds to the exchange, or throws a ServiceError that becomes the answer. */
export type Step = (exchange: RequestContext) => Promise<void> | void;

/** How a function without an authorizer in front of it gets to know its caller. */
const verifiers: { readonly [A in Auth]: (exchange: RequestContext) => Promise<PrincipalByAuth[A]> } = {
  jwt: ({ http }) => verifyUser(http.headers),
  "api-key": ({ http }) => verifyApiKey(http.headers),
  "embed-key": ({ http }) => verifyEmbedKey(http.headers),
  "webhook-signature": ({ http }) => verifyWebhook(http.headers, http.params.channel_id ?? "", http.rawBody),
  none: async () => null,
};

/** A function's URL is open to the world: only requests that came through CloudFront bear its secret. */
export const requireCloudFront: Step = ({ http }) => {
  if (!http.isFromCloudFront) throw notFound();
};

/** CloudFront picks a function by the path alone: a method that is not its route's is no route at all. */
export const requireMethod: Step = ({ contract, http }) => {
  if (http.method !== contract.method) throw noRoute();
};

/** The caller, verified here: for functions behind a URL of their own. */
export const authenticate: Step = async (exchange) => {
  exchange.principal = await verifiers[exchange.contract.auth](exchange);
};

/** The caller as the authorizer in front found it. Its answer may be cached, so expiry is looked at again. */
export const readAuthorizerContext: Step = (exchange) => {
  if (exchange.contract.auth === "none") return;
  const principal = JSON.parse(String(exchange.http.authorizer?.principal ?? "null")) as Principal;
  if (!principal) throw new ServiceError("unauthorized");
  if (principal.expiresAt !== null && principal.expiresAt <= now() / 1_000) {
    throw new ServiceError("unauthorized", "The credential has expired.");
  }
  exchange.principal = principal;
};

/** Tenant and user have a record from their first request on. */
export const recordCaller: Step = async (exchange) => {
  const { principal } = exchange;
  if (!principal) return;
  const remembered = principal.kind === "user" ? rememberUser(principal, principal.userId) : null;
  [exchange.tenant] = await Promise.all([tenantRecord(principal), remembered]);
  if (principal.kind !== "user") return;
  let rights: Promise<AccessRights> | undefined;
  exchange.rights = () => {
    rights ??= rightsOf(principal);
    return rights;
  };
};

/** A page may use an embed key only where the tenant wants it to; what is no page says no origin. */
export const requireAllowedOrigin: Step = async (exchange) => {
  const { principal, http } = exchange;
  if (principal?.kind !== "embed-key") return;
  const key = await findEmbedKey(principal, principal.keyId);
  if (!key || key.is_revoked) throw new ServiceError("unauthorized", "The embed key is not valid or was revoked.");
  exchange.embedKey = key;
  const { origin } = http.headers;
  exchange.originDenied = origin !== undefined && !key.allowed_origins.includes(origin);
  if (exchange.originDenied) throw new ServiceError("origin_not_allowed");
};

const getLimit = (name: VariableName) => Number(env(name)[name]);

/** Each session has an allowance; what is in none, such as the beginning of one, counts for its client's address. */
function consumeEmbedSessionRateLimit(
  principal: EmbedKeyPrincipal,
  { params, address }: HttpRequest,
): Promise<Allowance> {
  const limit = getLimit("RATE_LIMIT_EMBED_SESSION");
  const session = params.id === undefined ? null : conversationOfSession(appSecret(), principal, params.id);
  if (session !== null) return drawOn(principal, `embed-session#${session}`, limit);
  const used = { kind: "embed-key", id: principal.keyId } as const;
  return drawOn(principal, `visitor#${addressName(appSecret(), address)}`, limit, used);
}

/** How each class of limit is drawn on. */
const rateLimiters: Readonly<Record<RateLimitClass, (exchange: RequestContext) => Promise<Allowance | null>>> = {
  tenant: async ({ principal, tenant }) =>
    principal && drawOn(principal, "tenant", tenant?.limits.requests_per_minute ?? getLimit("RATE_LIMIT_TENANT")),
  api_key: async ({ principal }) =>
    principal?.kind === "api-key"
      ? drawOn(principal, subjectOf(principal), getLimit("RATE_LIMIT_API_KEY"), {
          kind: "api-key",
          id: principal.keyId,
        })
      : null,
  embed_session: async ({ principal, http }) =>
    principal?.kind === "embed-key" ? consumeEmbedSessionRateLimit(principal, http) : null,
  channel: async ({ principal }) =>
    principal && drawOn(principal, subjectOf(principal), getLimit("RATE_LIMIT_CHANNEL")),
  shared_link: ({ http }) =>
    drawOnOpen("shared-link", hashOf(http.params.token ?? ""), getLimit("RATE_LIMIT_SHARED_LINK")),
  health: ({ http }) => drawOnOpen("health", hashOf(http.address), getLimit("RATE_LIMIT_HEALTH")),
  open: ({ http }) => drawOnOpen("open", hashOf(http.address), getLimit("RATE_LIMIT_OPEN")),
};

/** Addresses of people and tokens of links are not kept, only told apart. */
const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url");

/** Counts the request for its caller. */
export const consumeRateLimit = (exchange: RequestContext) => rateLimiters[exchange.contract.rateLimit](exchange);

/** Counts the request; a limiter that fails lets everybody in, for a limit is not worth an outage. */
export const enforceRateLimit: Step = async (exchange) => {
  try {
    exchange.rateLimit = await (exchange.pendingRateLimit ?? consumeRateLimit(exchange));
  } catch (error) {
    log.error("rate limiter unavailable", { request_id: exchange.requestId, error });
    countMetric("rate_limiter_failed");
    return;
  }
  if (exchange.rateLimit?.admitted === false) throw rateLimited(exchange.rateLimit.resetAt, now());
};

/** The one capability the contract asks for, if any. */
export const requireCapability: Step = async ({ contract, rights }) => {
  if (contract.capability && !(await rights()).permissions.has(contract.capability)) {
    throw new ServiceError("forbidden", `This needs the capability ${contract.capability}.`);
  }
};

/** The one scope the contract asks of an API key, if any. */
export const requireScope: Step = ({ contract, principal }) => {
  if (!contract.scope || principal?.kind !== "api-key" || principal.scopes.includes(contract.scope)) return;
  throw new ServiceError("forbidden", `This key lacks the scope ${contract.scope}.`);
};

/** Largest request body, in bytes. */
export const maxBodyBytes = 1_048_576;

/** What must hold of a body before it is parsed: there is one, and it is not too large. */
export function requireBody(body: string | null | undefined, isBase64: boolean): void {
  if (body === null || body === undefined || body === "") {
    throw new ServiceError("invalid_structure", "This request needs a JSON object as its body.");
  }
  if (Buffer.byteLength(body, isBase64 ? "base64" : "utf8") > maxBodyBytes) throw new ServiceError("payload_too_large");
}

/** Checks path, query and (parsed) body against the contract. */
export function validateInput(exchange: RequestContext, body: unknown): void {
  const { contract, http } = exchange;
  if (contract.body && (typeof body !== "object" || body === null || Array.isArray(body))) {
    throw new ServiceError("invalid_structure");
  }
  exchange.input = validate(contract, { params: http.params, query: http.query, body });
}
