import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { isKeySetOutage, remoteKeySet } from "./key-set.ts";
import { isPersonId, isPrincipalId, parseRoleNames, type UserPrincipal } from "./principal.ts";

/** Clock tolerance for `iat` and `nbf`; `exp` has none. */
const clockToleranceSeconds = 60;

/** Latest time that a JavaScript date can represent, in epoch seconds (ECMA-262, section 21.4.1.1). */
const MAX_EPOCH_SECONDS = 8_640_000_000_000;

/** `typ` values of access tokens (RFC 9068) and plain JWTs. Excludes logout and DPoP tokens. */
const tokenTypes: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"]);

const keySets = new Map<string, JWTVerifyGetKey>();

function getKeySet(url: string): JWTVerifyGetKey {
  const cached = keySets.get(url);
  if (cached) return cached;
  const staleMs = Number(env("JWT_JWKS_STALE_SECONDS").JWT_JWKS_STALE_SECONDS) * 1_000;
  const created = remoteKeySet(url, staleMs);
  keySets.set(url, created);
  return created;
}

/**
 * Reports whether a base64url text is canonical: the unused bits of its last character are zero (RFC 4648, section
 * 3.5).
 */
const isCanonical = (text: string) => Buffer.from(text, "base64url").toString("base64url") === text;

const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function bearerToken(authorization: string | undefined): string {
  const token = /^Bearer ([^\s]+)$/i.exec(authorization ?? "")?.[1];
  if (!token) throw new ServiceError("unauthorized", "Send `Authorization: Bearer <JWT>`.");
  // Base64url decoders ignore padding and foreign characters. Only the canonical encoding is accepted, so that each
  // token has exactly one text.
  if (!compactToken.test(token) || !token.split(".").every(isCanonical))
    throw new ServiceError("unauthorized", "The token is not a JWT.");
  return token;
}

function toPrincipal(payload: JWTPayload): UserPrincipal {
  const claims = env("JWT_TENANT_CLAIM", "JWT_USER_CLAIM", "JWT_ROLES_CLAIM");
  const tenantId = payload[claims.JWT_TENANT_CLAIM];
  const userId = payload[claims.JWT_USER_CLAIM];
  if (!isPrincipalId(tenantId) || !isPersonId(userId)) {
    throw new ServiceError("unauthorized", "The token has no valid tenant or user claim.");
  }
  const toText = (claim: unknown) => (typeof claim === "string" ? claim : null);
  return {
    kind: "user",
    tenantId,
    userId,
    roles: parseRoleNames(payload[claims.JWT_ROLES_CLAIM]),
    email: toText(payload.email),
    name: toText(payload.name),
    provider: "jwt",
    expiresAt: payload.exp ?? null,
  };
}

/**
 * Verifies the JWT of an `Authorization` header against the configured issuer, audience, algorithms and key set
 * (RFC 7519, RFC 8725). Key material inside the token (`jku`, `x5u`, `jwk`) is ignored.
 * @throws ServiceError `unauthorized` for an invalid token, `unavailable` if the key set cannot be fetched
 */
export async function verifyJwt(authorization: string | undefined): Promise<UserPrincipal> {
  const token = bearerToken(authorization);
  const settings = env("JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL", "JWT_ALGORITHMS");
  try {
    const { payload, protectedHeader } = await jwtVerify(token, getKeySet(settings.JWT_JWKS_URL), {
      issuer: settings.JWT_ISSUER,
      audience: settings.JWT_AUDIENCE,
      algorithms: settings.JWT_ALGORITHMS.split(",").map((name) => name.trim()),
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
    return toPrincipal(payload);
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
