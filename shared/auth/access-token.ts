import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { verifyWithAny } from "./accepted-secrets.ts";
import { loadAppSecrets } from "./app-secret.ts";
import { signPayload, verifyPayload } from "./signed-payload.ts";

/** Claims of an access token that an API key made for a user. */
export interface AccessClaims {
  /** Hash of the key. The token ends with the key. */
  readonly keyHash: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Conversation that the token is limited to. */
  readonly conversationId: string | null;
  readonly expiresAtMs: number;
}

const purpose = "access";
export const ACCESS_TOKEN_PREFIX = "swt_";

/** Creates an access token. It is self-contained, so nothing is stored for it. */
export async function createAccessToken(claims: AccessClaims): Promise<string> {
  const { keyHash, userId, scopes, conversationId, expiresAtMs } = claims;
  const { current } = await loadAppSecrets();
  return ACCESS_TOKEN_PREFIX + signPayload(current, purpose, [keyHash, userId, scopes, conversationId, expiresAtMs]);
}

/**
 * Verifies signature and expiry of an access token. Whether its key is still valid is left to the caller.
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
