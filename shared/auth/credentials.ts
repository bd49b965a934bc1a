import { createHmac } from "node:crypto";
import { sha256 } from "../lib/hash.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** Prefixes of the credentials that the service issues. */
const prefixes = { "api-key": "swk", "embed-key": "swe" } as const;

export type KeyKind = keyof typeof prefixes;

/** Returns the displayable prefix of a key: `swk_<slug>`. */
export function keyPrefix(kind: KeyKind, slug: string): string {
  return `${prefixes[kind]}_${slug}`;
}

/**
 * Derives a key, `<prefix>_<slug>_<32 hex>`, from the deployment secret and the key's id. A retried creation therefore
 * returns the same key, although the table does not contain it.
 */
export function deriveKey(kind: KeyKind, secret: string, { id, slug }: { id: string; slug: string }): string {
  const digits = createHmac("sha256", secret).update(`${kind}:${id}`).digest("hex").slice(0, 32);
  return `${keyPrefix(kind, slug)}_${digits}`;
}

/** Checks the format of a key, so that malformed keys are rejected without a read of the table. */
export function isWellFormedKey(kind: KeyKind, text: string): boolean {
  return new RegExp(`^${prefixes[kind]}_[a-z0-9]{8}_[0-9a-f]{32}$`).test(text);
}

/** Returns the bearer token of the `Authorization` header; empty if it has none. */
export const bearerKey = ({ authorization = "" }: RequestHeaders): string =>
  /^Bearer[ \t]+(\S+)$/i.exec(authorization.trim())?.[1] ?? "";

/**
 * Returns the API key of a request to the OpenAI-compatible API; empty if it has none. Clients of Azure send it as `api-key`,
 * those of Anthropic as `x-api-key`.
 */
export const apiKeyOf = (headers: RequestHeaders): string =>
  bearerKey(headers) || (headers.authorization ? "" : (headers["x-api-key"] ?? headers["api-key"] ?? ""));

/**
 * Returns true if the bearer token has the form of an API key, or of an access token that an API key issued. Does not verify
 * it.
 */
export const isKeyBearer = (headers: RequestHeaders): boolean => /^sw[kt]_/.test(bearerKey(headers));

/** Returns the hash that a key is looked up by. Keys have 128 bits of entropy, so a fast hash is sufficient. */
export function hashCredential(text: string): string {
  return sha256(text);
}

/**
 * Derives the signing secret of a webhook channel from the deployment secret: 64 hex characters. It is not stored. The
 * registration id makes it different for each registration.
 */
export function deriveWebhookSecret(
  secret: string,
  { tenantId, registrationId }: { tenantId: string; registrationId: string },
): string {
  return createHmac("sha256", secret).update(`webhook:${tenantId}:${registrationId}`).digest("hex");
}
