import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { isPrincipalId, parseRoleNames, type UserPrincipal } from "./principal.ts";

/** How far `iat` and `nbf` may lie in the future, in seconds; `exp` has no leeway. */
const clockToleranceSeconds = 60;

/** Media types of access tokens (RFC 9068) and plain JWTs; a logout or DPoP token is no credential. */
const tokenTypes: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** Key sets by URL: fetched once, again every ten minutes or for an unknown key id, at most every five seconds. */
const keySets = new Map<string, JWTVerifyGetKey>();

function getKeySet(url: string): JWTVerifyGetKey {
  const known = keySets.get(url);
  if (known) return known;
  const created = createRemoteJWKSet(new URL(url), {
    cooldownDuration: 5_000,
    cacheMaxAge: 600_000,
    timeoutDuration: 3_000,
  });
  keySets.set(url, created);
  return created;
}

const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function bearerToken(authorization: string | undefined): string {
  const token = /^Bearer ([^\s]+)$/i.exec(authorization ?? "")?.[1];
  if (!token) throw new ServiceError("unauthorized", "Send `Authorization: Bearer <JWT>`.");
  if (token.startsWith("swk_")) {
    throw new ServiceError("unauthorized", "An API key does not open /v1; a JWT of the identity provider does.");
  }
  // Decoders forgive padding and the like; a token has one spelling only.
  if (!compactToken.test(token)) throw new ServiceError("unauthorized", "The token is not a JWT.");
  return token;
}

/** Failures to get keys are ours to answer for; everything else that jose throws speaks of the token. */
function isOutage(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout) return true;
  const aboutToken =
    error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC" && error.code !== "ERR_JWKS_INVALID";
  return !aboutToken;
}

function toPrincipal(payload: JWTPayload): UserPrincipal {
  const claims = env("JWT_TENANT_CLAIM", "JWT_USER_CLAIM", "JWT_ROLES_CLAIM");
  const tenantId = payload[claims.JWT_TENANT_CLAIM];
  const userId = payload[claims.JWT_USER_CLAIM];
  if (!isPrincipalId(tenantId) || !isPrincipalId(userId)) {
    throw new ServiceError("unauthorized", "The token names no usable tenant and user.");
  }
  const text = (claim: unknown) => (typeof claim === "string" ? claim : null);
  return {
    kind: "user",
    tenantId,
    userId,
    roles: parseRoleNames(payload[claims.JWT_ROLES_CLAIM]),
    email: text(payload.email),
    name: text(payload.name),
    provider: "jwt",
    expiresAt: payload.exp ?? null,
  };
}

/**
 * Verifies the JWT of an `Authorization` header against the configured issuer, audience, algorithms and key set
 * (RFC 7519, RFC 8725). Key material inside the token (`jku`, `x5u`, `jwk`) is never looked at.
 * @throws ServiceError `unauthorized` for a bad token, `unavailable` while the key set cannot be fetched
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
    if (!tokenTypes.has((protectedHeader.typ ?? "JWT").toLowerCase())) {
      throw new ServiceError("unauthorized", "This type of token is no credential.");
    }
    const seconds = now() / 1_000;
    if ((payload.exp ?? 0) <= seconds) throw new ServiceError("unauthorized", "The token has expired.");
    if ((payload.iat ?? 0) > seconds + clockToleranceSeconds)
      throw new ServiceError("unauthorized", "The token is from the future.");
    return toPrincipal(payload);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (isOutage(error)) {
      throw new ServiceError("unavailable", "The identity provider's keys cannot be fetched.", { cause: error });
    }
    // The signature is looked at before the claims are: only who has a real token is told which of them does not fit.
    const claim = error instanceof errors.JWTClaimValidationFailed ? `: look at its claim \`${error.claim}\`` : "";
    throw new ServiceError("unauthorized", `The token is not valid here${claim}.`, { cause: error });
  }
}
