import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from "jose";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { bearerKey } from "./credentials.ts";
import { guardedKeySet, isKeySetOutage, remoteKeySet } from "./key-set.ts";
import type { UserPrincipal } from "./principal.ts";
import { type ClaimNames, toTokenPrincipal } from "./token-claims.ts";

/** Clock tolerance for `iat` and `nbf`; `exp` has none. */
const clockToleranceSeconds = 60;

/** Latest time that a JavaScript date can represent, in epoch seconds (ECMA-262, section 21.4.1.1). */
const MAX_EPOCH_SECONDS = 8_640_000_000_000;

/** `typ` values of access tokens (RFC 9068) and plain JWTs. Excludes logout and DPoP tokens. */
const tokenTypes: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** Identity provider that a tenant registered. Its tokens authenticate users of this tenant only. */
export interface TrustedIssuer {
  readonly id: string;
  readonly tenantId: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly claims: ClaimNames;
}

/**
 * Returns the tenant's identity provider for the claims `iss` and `aud` of a token, which is not verified yet; undefined if
 * no tenant registered it.
 */
export type FindIssuer = (issuer: string, audiences: readonly string[]) => Promise<TrustedIssuer | undefined>;

const MAX_KEY_SETS = 1_000;
const keySets = new Map<string, JWTVerifyGetKey>();

/**
 * Returns the cached key set of a URL, or opens one.
 * @param isGuarded true for an address that a tenant chose, which is fetched through the guard of outgoing requests
 */
function getKeySet(url: string, isGuarded = false): JWTVerifyGetKey {
  const name = `${isGuarded} ${url}`;
  const cached = keySets.get(name);
  if (cached) return cached;
  const staleMs = Number(env("JWT_JWKS_STALE_SECONDS").JWT_JWKS_STALE_SECONDS) * 1_000;
  const created = isGuarded ? guardedKeySet(url, staleMs) : remoteKeySet(url, staleMs);
  if (keySets.size >= MAX_KEY_SETS) keySets.clear();
  keySets.set(name, created);
  return created;
}

/**
 * Reports whether a base64url text is canonical: the unused bits of its last character are zero (RFC 4648, section
 * 3.5).
 */
const isCanonical = (text: string) => Buffer.from(text, "base64url").toString("base64url") === text;

const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns the token of an `Authorization` header. @throws ServiceError `unauthorized` if it is no JWT */
export function bearerToken(authorization: string | undefined): string {
  const token = bearerKey({ authorization });
  if (!token) throw new ServiceError("unauthorized", "Send `Authorization: Bearer <JWT>`.");
  // Base64url decoders ignore padding and foreign characters. Only the canonical encoding is accepted, so that each
  // token has exactly one text.
  if (!compactToken.test(token) || !token.split(".").every(isCanonical))
    throw new ServiceError("unauthorized", "The token is not a JWT.");
  return token;
}

/** Issuer, audience and keys that a token must match. */
interface Trust {
  readonly issuer: string;
  readonly audience: string;
  readonly keySet: JWTVerifyGetKey;
}

/**
 * Verifies a token with the keys of a set. A token without a key id can match several keys, such as during a rotation; each is
 * tried.
 */
async function verifyWithKeys(token: string, keySet: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, keySet, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/**
 * Verifies signature, issuer, audience, lifetime and type of a token and returns its claims.
 * @throws ServiceError `unauthorized` for an invalid token, `unavailable` if the key set cannot be fetched
 */
async function verifyToken(token: string, { issuer, audience, keySet }: Trust): Promise<JWTPayload> {
  const { JWT_ALGORITHMS } = env("JWT_ALGORITHMS");
  try {
    const { payload, protectedHeader } = await verifyWithKeys(token, keySet, {
      issuer,
      audience,
      algorithms: JWT_ALGORITHMS.split(",").map((name) => name.trim()),
      requiredClaims: ["iss", "aud", "exp"],
      clockTolerance: clockToleranceSeconds,
    });
    if (!tokenTypes.has(String(protectedHeader.typ ?? "JWT").toLowerCase())) {
      throw new ServiceError("unauthorized", "Tokens of this type are not accepted.");
    }
    const seconds = now() / 1_000;
    if (!(Number(payload.exp) <= MAX_EPOCH_SECONDS)) {
      throw new ServiceError("unauthorized", "The token is invalid: check the claim `exp`.");
    }
    if ((payload.exp ?? 0) <= seconds) throw new ServiceError("unauthorized", "The token has expired.");
    if ((payload.iat ?? 0) > seconds + clockToleranceSeconds)
      throw new ServiceError("unauthorized", "The token was issued in the future.");
    return payload;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (isKeySetOutage(error)) {
      throw new ServiceError("unavailable", "The keys of the identity provider cannot be fetched.", { cause: error });
    }
    // jose verifies the signature before the claims, so naming the claim reveals nothing to holders of forged tokens.
    const claim = error instanceof errors.JWTClaimValidationFailed ? `: check the claim \`${error.claim}\`` : "";
    throw new ServiceError("unauthorized", `The token is invalid${claim}.`, { cause: error });
  }
}

/** Names of the claim with the nonce, because some providers reserve `nonce` and others allow no other name in it. */
const nonceClaims = ["nonce", "switchboard_nonce"];

/**
 * Verifies that a token proves a pair of issuer and audience: a key of the provider signed it, with a nonce.
 * @throws ServiceError `unauthorized` for an invalid token, `unavailable` if the key set cannot be fetched
 */
export async function verifyIssuerProof(
  token: string,
  { issuer, audience, jwksUrl }: Pick<TrustedIssuer, "issuer" | "audience" | "jwksUrl">,
  nonce: string,
): Promise<void> {
  const keySet = getKeySet(jwksUrl, true);
  const payload = await verifyToken(bearerToken(`Bearer ${token}`), { issuer, audience, keySet });
  if (nonceClaims.some((name) => payload[name] === nonce)) return;
  throw new ServiceError("unauthorized", "The token does not have the nonce.");
}

/** Returns the claims of a token without verification, or an empty object for a malformed token. */
function readClaims(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}

/**
 * Returns true if the token's issuer is not that of the deployment, so that its verification reads the identity providers of
 * tenants. Does not verify the token.
 */
export function hasForeignIssuer(headers: RequestHeaders): boolean {
  const { iss } = readClaims(bearerKey(headers));
  return iss !== undefined && iss !== env("JWT_ISSUER").JWT_ISSUER;
}

/**
 * Verifies the JWT of an `Authorization` header if a tenant registered its issuer as identity provider. The user belongs to
 * that tenant; a token that names another tenant is rejected.
 * @returns undefined for a token of any other issuer, or without a token
 * @throws ServiceError `unauthorized` for an invalid token, `unavailable` if the key set cannot be fetched
 */
export async function verifyTenantJwt(
  authorization: string | undefined,
  findIssuer: FindIssuer,
): Promise<UserPrincipal | undefined> {
  const token = bearerKey({ authorization });
  const { iss, aud } = readClaims(token);
  const { JWT_ISSUER, JWT_TENANT_CLAIM } = env("JWT_ISSUER", "JWT_TENANT_CLAIM");
  if (typeof iss !== "string" || iss === JWT_ISSUER) return undefined;
  const audiences = [aud].flat().filter((each) => typeof each === "string");
  const trusted = await findIssuer(iss, audiences);
  if (!trusted) return undefined;
  const { id, tenantId, issuer, audience, jwksUrl, claims } = trusted;
  const keySet = getKeySet(jwksUrl, true);
  const payload = await verifyToken(bearerToken(authorization), { issuer, audience, keySet });
  if ((payload[JWT_TENANT_CLAIM] ?? tenantId) !== tenantId) {
    throw new ServiceError(
      "unauthorized",
      "The token names a tenant of which its issuer is not the identity provider.",
    );
  }
  return { ...toTokenPrincipal(payload, tenantId, claims), issuerId: id };
}

/**
 * Verifies the JWT of an `Authorization` header against the configured issuer, audience, algorithms and key set
 * (RFC 7519, RFC 8725), or against those of the identity provider of a tenant. Key material inside the token (`jku`, `x5u`, `jwk`)
 * is ignored.
 * @throws ServiceError `unauthorized` for an invalid token, `unavailable` if the key set cannot be fetched
 */
export async function verifyJwt(authorization: string | undefined, findIssuer: FindIssuer): Promise<UserPrincipal> {
  const ofTenant = await verifyTenantJwt(authorization, findIssuer);
  if (ofTenant) return ofTenant;
  const {
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: audience,
    JWT_JWKS_URL,
  } = env("JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL");
  const token = bearerToken(authorization);
  const payload = await verifyToken(token, { issuer, audience, keySet: getKeySet(JWT_JWKS_URL) });
  const names = env("JWT_TENANT_CLAIM", "JWT_USER_CLAIM", "JWT_ROLES_CLAIM", "JWT_GROUPS_CLAIM");
  return toTokenPrincipal(payload, payload[names.JWT_TENANT_CLAIM], {
    user_id: names.JWT_USER_CLAIM,
    name: "name",
    email: "email",
    roles: names.JWT_ROLES_CLAIM,
    groups: names.JWT_GROUPS_CLAIM || null,
  });
}
