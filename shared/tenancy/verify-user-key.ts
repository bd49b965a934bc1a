import { isUserScope } from "../api/scopes.ts";
import type { AccessClaims } from "../auth/access-token.ts";
import { bearerKey, hashCredential } from "../auth/credentials.ts";
import { serviceIdOf, type UserPrincipal } from "../auth/principal.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { verifyApiKey, verifyKeyHash } from "./verify-api-key.ts";

/**
 * Verifies the API key of a request to `/v1`, or the key with which its access token was created.
 * @param claims verified claims of the access token; null for an API key
 * @returns the service that an API key stands for, or the user of the access token, whose roles are loaded later
 * @throws ServiceError `unauthorized`
 */
export async function verifyUserKey(headers: RequestHeaders, claims: AccessClaims | null): Promise<UserPrincipal> {
  const key = claims ? await verifyKeyHash(claims.keyHash) : await verifyApiKey(headers);
  const { tenantId, keyId, allowedOrigins, guardrails, expiresAt, creatorId, permissions } = key;
  if (!key.scopes.some(isUserScope)) {
    throw new ServiceError("unauthorized", "API keys are not accepted on /v1; send a JWT from your identity provider.");
  }
  const scopes = claims ? claims.scopes.filter((scope) => key.scopes.includes(scope)) : key.scopes;
  const hash = claims?.keyHash ?? hashCredential(bearerKey(headers));
  const conversationId = claims?.conversationId ?? null;
  return {
    kind: "user",
    tenantId,
    userId: claims?.userId ?? serviceIdOf(keyId),
    roles: [],
    email: null,
    name: null,
    provider: claims ? "access_token" : "api_key",
    expiresAt: claims ? Math.min(expiresAt ?? Number.POSITIVE_INFINITY, claims.expiresAtMs / 1_000) : expiresAt,
    apiKey: { id: keyId, hash, scopes, conversationId, allowedOrigins, guardrails, creatorId, permissions },
  };
}
