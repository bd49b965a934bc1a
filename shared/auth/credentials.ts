import { createHash, createHmac } from "node:crypto";

/** The credentials that we make ourselves, by what their text begins with. */
const prefixes = { "api-key": "swk", "embed-key": "swe" } as const;

/** A kind of credential that we make ourselves. */
export type KeyKind = keyof typeof prefixes;

/** What a person may see of a key: `swk_<slug>`. */
export function keyPrefix(kind: KeyKind, slug: string): string {
  return `${prefixes[kind]}_${slug}`;
}

/**
 * The text of a key: `<prefix>_<slug>_<32 hex>`. It follows from the deployment's secret and the key's id, so that a
 * retried creation gives the same key although nothing in the table yields it.
 */
export function deriveKey(kind: KeyKind, secret: string, { id, slug }: { id: string; slug: string }): string {
  const digits = createHmac("sha256", secret).update(`${kind}:${id}`).digest("hex").slice(0, 32);
  return `${keyPrefix(kind, slug)}_${digits}`;
}

/** Whether a text can be a key of that kind at all. */
export function isWellFormedKey(kind: KeyKind, text: string): boolean {
  return new RegExp(`^${prefixes[kind]}_[a-z0-9]{8}_[0-9a-f]{32}$`).test(text);
}

/** The hash a key is found by. Keys hold 128 random bits, so a fast hash is enough. */
export function hashCredential(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * The secret of a webhook channel, 64 hex characters. Like a key it follows from the deployment's secret, so it is
 * stored nowhere; each registration has one of its own.
 */
export function deriveWebhookSecret(
  secret: string,
  { tenantId, registrationId }: { tenantId: string; registrationId: string },
): string {
  return createHmac("sha256", secret).update(`webhook:${tenantId}:${registrationId}`).digest("hex");
}
