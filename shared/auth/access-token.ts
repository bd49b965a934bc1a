import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { verifyWithAny } from "./accepted-secrets.ts";
import { loadAppSecrets } from "./app-secret.ts";
import { signPayload, verifyPayload } from "./signed-payload.ts";

/** Claims of an access token that an API key made for a user. */
export interface AccessClaims {
  /** Hash of the API key. Revoking the key ends the token. */
  readonly keyHash: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Only conversation that the token gives access to; null if it is not limited. */
  readonly conversationId: string | null;
  readonly expiresAtMs: number;
}

const purpose = "access";
export const ACCESS_TOKEN_PREFIX = "swt_";

/** Creates an access token. The token contains its claims and a signature, so the service does not store it. */
export async function createAccessToken(claims: AccessClaims): Promise<string> {
  const { keyHash, userId, scopes, conversationId, expiresAtMs } = claims;
  const { current } = await loadAppSecrets();
  return ACCESS_TOKEN_PREFIX + signPayload(current, purpose, [keyHash, userId, scopes, conversationId, expiresAtMs]);
}

/**
 * Verifies the signature and expiry of an access token. The caller must check that its API key is still valid.
 * @throws ServiceError `unauthorized`
 */
export async function verifyAccessToken(token: string): Promise<AccessClaims> {
  const { recent } = await loadAppSecrets();
  const text = token.slice(ACCESS_TOKEN_PREFIX.length);
  const claims = verifyWithAny(recent, (secret) => verifyPayload(secret, purpose, text));
  if (claims === null) throw new ServiceError("unauthorized", "The access token is invalid.");
  const [keyHash, userId, scopes, conversationId, expiresAtMs] = claims as [
    string,
    string,
    string[],
    string | null,
    number,
  ];
  if (expiresAtMs <= now()) throw new ServiceError("unauthorized", "The token has expired.");
  return { keyHash, userId, scopes, conversationId, expiresAtMs };
}
