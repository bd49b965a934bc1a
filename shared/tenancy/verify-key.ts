import { hashCredential, isWellFormedKey, type KeyKind } from "../auth/credentials.ts";
import type { ApiKeyPrincipal, EmbedKeyPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { type Credential, findCredential } from "./credential-store.ts";

/** Finds the unexpired credential of a key. A malformed key is rejected without a read. */
async function findActiveCredential(kind: KeyKind, text: string): Promise<Credential | undefined> {
  if (!isWellFormedKey(kind, text)) return undefined;
  const credential = await findCredential(hashCredential(text));
  const isActive =
    credential?.kind === kind && (credential.expires_at === null || Date.parse(credential.expires_at) > now());
  return isActive ? credential : undefined;
}

/**
 * Verifies the API key (`swk_…`) of a request. Messages about an invalid key begin like those of OpenAI, by which LiteLLM
 * recognizes them.
 * @throws ServiceError `unauthorized`
 */
export async function verifyApiKey(headers: RequestHeaders): Promise<ApiKeyPrincipal> {
  const text = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!text) throw new ServiceError("unauthorized", "Send `Authorization: Bearer swk_...`.");
  if (!text.startsWith("swk_")) {
    throw new ServiceError(
      "unauthorized",
      "Incorrect API key provided: keys of this service start with swk_; /openai/v1 accepts no JWTs or keys of other services.",
    );
  }
  const credential = await findActiveCredential("api-key", text);
  if (!credential)
    throw new ServiceError("unauthorized", "Incorrect API key provided: it is invalid, expired or revoked.");
  const { tenant_id, id, scopes, allowed_origins: allowedOrigins, guardrails, expires_at } = credential;
  const expiresAt = expires_at === null ? null : Date.parse(expires_at) / 1_000;
  return { kind: "api-key", tenantId: tenant_id, keyId: id, scopes, allowedOrigins, guardrails, expiresAt };
}

/**
 * Verifies the embed key (`X-Embed-Key`) of a request.
 * @throws ServiceError `unauthorized`
 */
export async function verifyEmbedKey(headers: RequestHeaders): Promise<EmbedKeyPrincipal> {
  const text = headers["x-embed-key"];
  if (!text) throw new ServiceError("unauthorized", "Send `X-Embed-Key: swe_...`.");
  const credential = await findActiveCredential("embed-key", text);
  if (!credential) throw new ServiceError("unauthorized", "The embed key is invalid or revoked.");
  return { kind: "embed-key", tenantId: credential.tenant_id, keyId: credential.id, expiresAt: null };
}
