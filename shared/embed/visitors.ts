import { createHmac, timingSafeEqual } from "node:crypto";
import { signId, verifySignedId } from "../auth/signed-id.ts";
import { sha256 } from "../lib/hash.ts";

/** A website, by its embed key. */
export interface Site {
  readonly tenantId: string;
  readonly keyId: string;
}

const purposeOf = ({ tenantId, keyId }: Site) => `embed-session:${tenantId}#${keyId}:`;

/** The id of a session: what the visitor's browser keeps, and what opens the conversation on this website only. */
export function sessionId(secret: string, site: Site, conversationId: string): string {
  return signId(secret, purposeOf(site), conversationId);
}

/** The conversation of a session id that was made for this website, or null for any other text. */
export function conversationOfSession(secret: string, site: Site, id: string): string | null {
  return verifySignedId(secret, purposeOf(site), id);
}

/** What a website signs the ids of its visitors with: 64 hex characters, stored nowhere. */
export function visitorSecret(secret: string, { tenantId, keyId }: Site): string {
  return createHmac("sha256", secret).update(`embed-visitor:${tenantId}#${keyId}`).digest("hex");
}

/** Whether a signature is the HMAC-SHA256 of a visitor's id, in hex of either case; compared in constant time. */
export function isVisitorSignature(key: string, visitorId: string, signature: string): boolean {
  const expected = createHmac("sha256", key).update(visitorId).digest();
  const given = Buffer.from(signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Who a visitor is within the tenant: `~` and a hash, for who it really is is the website's business. */
export function visitorId({ keyId }: Site, name: string): string {
  return `~${sha256(`${keyId}#${name}`)}`;
}

/** A client's address as a name that allowances can go by and that tells nobody the address. */
export function addressName(secret: string, address: string): string {
  return createHmac("sha256", secret).update(`address:${address}`).digest("base64url");
}
