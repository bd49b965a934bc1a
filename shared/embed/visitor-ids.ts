import { createHmac, timingSafeEqual } from "node:crypto";
import { signId, verifySignedId } from "../auth/signed-id.ts";
import { sha256 } from "../lib/hash.ts";

interface Site {
  readonly tenantId: string;
  readonly keyId: string;
}

const toPurpose = ({ tenantId, keyId }: Site) => `embed-session:${tenantId}#${keyId}:`;

/**
 * Returns the signed id of a session, which the visitor's browser stores. It gives access to the session on this website
 * only.
 */
export function signSessionId(secret: string, site: Site, conversationId: string): string {
  return signId(secret, toPurpose(site), conversationId);
}

/** Verifies a session id and returns its conversation; null if it was not issued for this website. */
export function verifySessionId(secret: string, site: Site, id: string): string | null {
  return verifySignedId(secret, toPurpose(site), id);
}

/** Derives the secret with which a website signs its visitor ids: 64 hex characters. It is not stored. */
export function deriveVisitorSecret(secret: string, { tenantId, keyId }: Site): string {
  return createHmac("sha256", secret).update(`embed-visitor:${tenantId}#${keyId}`).digest("hex");
}

/**
 * Derives the key with which a website signs the tokens of its visitors. It differs from the secret, because the signature of a
 * visitor id would be that of a token, too, if a visitor chose the beginning of a token as id.
 */
export const deriveTokenKey = (secret: string, site: Site): string => `token:${deriveVisitorSecret(secret, site)}`;

/** Verifies a hexadecimal HMAC-SHA256 signature of a visitor id in constant time. */
export function isVisitorSignature(key: string, visitorId: string, signature: string): boolean {
  const expected = createHmac("sha256", key).update(visitorId).digest();
  const actual = Buffer.from(signature, "hex");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Derives the visitor id within the tenant, `~` and a hash, from the website's id of the visitor, which only sessions of keys with tools store. */
export function deriveVisitorId({ keyId }: Site, externalId: string): string {
  return `~${sha256(`${keyId}#${externalId}`)}`;
}

/** Returns a keyed hash of a client address, to count requests. The address itself is not stored. */
export function hashAddress(secret: string, address: string): string {
  return createHmac("sha256", secret).update(`address:${address}`).digest("base64url");
}
