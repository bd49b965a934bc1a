import { hashCredential, isWellFormedKey, type KeyKind } from "../auth/credentials.ts";
import type { ApiKeyPrincipal, EmbedKeyPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { type Credential, findCredential } from "./credential-store.ts";

/** The credential a key text stands for; a malformed one is refused without a read. */
async function credentialOf(kind: KeyKind, text: string): Promise<Credential | undefined> {
  if (!isWellFormedKey(kind, text)) return undefined;
  const credential = await findCredential(hashCredential(text));
  const live =
    credential?.kind === kind && (credential.expires_at === null || Date.parse(credential.expires_at) > now());
  return live ? credential : undefined;
}

/**
 * Who a request with an `swk_` key comes from.
 * @throws ServiceError `unauthorized`
 */
export async function verifyApiKey(headers: RequestHeaders): Promise<ApiKeyPrincipal> {
  const text = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!text) throw new ServiceError("unauthorized", "Send `Authorization: Bearer swk_...`.");
  if (!text.startsWith("swk_")) {
    throw new ServiceError(
      "unauthorized",
      "Only an swk_ API key opens /openai/v1: no JWT, and no key of another service.",
    );
  }
  const credential = await credentialOf("api-key", text);
  if (!credential) throw new ServiceError("unauthorized", "The API key is not valid, has expired or was revoked.");
  const { tenant_id, id, scopes, expires_at } = credential;
  const expiresAt = expires_at === null ? null : Date.parse(expires_at) / 1_000;
  return { kind: "api-key", tenantId: tenant_id, keyId: id, scopes, expiresAt };
}

/**
 * Who a request with an `X-Embed-Key` comes from.
 * @throws ServiceError `unauthorized`
 */
export async function verifyEmbedKey(headers: RequestHeaders): Promise<EmbedKeyPrincipal> {
  const text = headers["x-embed-key"];
  if (!text) throw new ServiceError("unauthorized", "Send `X-Embed-Key: swe_...`.");
  const credential = await credentialOf("embed-key", text);
  if (!credential) throw new ServiceError("unauthorized", "The embed key is invalid or revoked.");
  return { kind: "embed-key", tenantId: credential.tenant_id, keyId: credential.id, expiresAt: null };
}
