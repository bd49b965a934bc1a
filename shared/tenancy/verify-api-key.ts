import { apiKeyOf, hashCredential, isWellFormedKey, type KeyKind } from "../auth/credentials.ts";
import type { ApiKeyPrincipal, EmbedKeyPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { findCredential } from "./credential-store.ts";

/** Returns the lookup item of a key that is not revoked or expired. A malformed key is rejected without a read. */
async function findActiveCredential(kind: KeyKind, text: string): ReturnType<typeof findCredential> {
  return isWellFormedKey(kind, text) ? findActiveByHash(hashCredential(text)) : undefined;
}

async function findActiveByHash(hash: string): ReturnType<typeof findCredential> {
  const found = await findCredential(hash);
  const expiresAt = found?.credential.expires_at ?? null;
  return expiresAt === null || Date.parse(expiresAt) > now() ? found : undefined;
}

/**
 * Verifies the API key (`swk_…`) of a request. Error messages for an invalid key begin like OpenAI's, because LiteLLM
 * recognizes such errors by the text.
 * @throws ServiceError `unauthorized`
 */
export async function verifyApiKey(headers: RequestHeaders): Promise<ApiKeyPrincipal> {
  const text = apiKeyOf(headers);
  if (!text) throw new ServiceError("unauthorized", "Send `Authorization: Bearer swk_...`.");
  if (!text.startsWith("swk_")) {
    throw new ServiceError(
      "unauthorized",
      "Incorrect API key provided: keys of this service start with swk_; /openai/v1 accepts no JWTs or keys of other services.",
    );
  }
  return toApiKeyPrincipal(await findActiveCredential("api-key", text));
}

/**
 * Verifies an API key by its hash, for access tokens, which contain only the hash of their key.
 * @throws ServiceError `unauthorized`
 */
export const verifyKeyHash = async (hash: string): Promise<ApiKeyPrincipal> =>
  toApiKeyPrincipal(await findActiveByHash(hash));

function toApiKeyPrincipal(found: Awaited<ReturnType<typeof findCredential>>): ApiKeyPrincipal {
  if (found?.credential.kind !== "api-key") {
    throw new ServiceError("unauthorized", "Incorrect API key provided: it is invalid, expired or revoked.");
  }
  const { tenant_id: tenantId, id: keyId, scopes, allowed_origins: allowedOrigins, guardrails } = found.credential;
  const { expires_at, created_by: creatorId, permissions } = found.credential;
  const expiresAt = expires_at === null ? null : Date.parse(expires_at) / 1_000;
  const principal: ApiKeyPrincipal = {
    kind: "api-key",
    tenantId,
    keyId,
    scopes,
    allowedOrigins,
    guardrails,
    creatorId,
    permissions,
    expiresAt,
  };
  found.attachReads(principal);
  return principal;
}

/**
 * Verifies the embed key (`X-Embed-Key`) of a request. The origin of the page is checked in the function, by
 * `requireAllowedOrigin()` of `shared/http/steps.ts`.
 * @throws ServiceError `unauthorized`
 */
export async function verifyEmbedKey(headers: RequestHeaders): Promise<EmbedKeyPrincipal> {
  const text = headers["x-embed-key"];
  if (!text) throw new ServiceError("unauthorized", "Send `X-Embed-Key: swe_...`.");
  const found = await findActiveCredential("embed-key", text);
  if (found?.credential.kind !== "embed-key") {
    throw new ServiceError("unauthorized", "The embed key is invalid or revoked.");
  }
  const { credential } = found;
  return { kind: "embed-key", tenantId: credential.tenant_id, keyId: credential.id, expiresAt: null };
}
