import { createHmac, timingSafeEqual } from "node:crypto";

/** Lengths of id and signature in bytes. Their sum is a multiple of three, so that base64url needs no padding. */
const idBytes = 16;
const signatureBytes = 26;

function signBytes(secret: string, purpose: string, id: Buffer): Buffer {
  return createHmac("sha256", secret).update(purpose).update(id).digest().subarray(0, signatureBytes);
}

/**
 * Returns an id with a truncated HMAC over it: 56 characters with 208 secret bits. The result is deterministic, so it can
 * be returned again on retries, although the table does not contain it.
 * @param purpose binds the signature to its use; it is invalid for any other purpose
 * @param id a UUID
 */
export function signId(secret: string, purpose: string, id: string): string {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return Buffer.concat([bytes, signBytes(secret, purpose, bytes)]).toString("base64url");
}

/** Verifies a text that `signId` created and returns its id; null for any other text or purpose. */
export function verifySignedId(secret: string, purpose: string, text: string): string | null {
  const bytes = Buffer.alloc(idBytes + signatureBytes);
  const bytesWritten = bytes.write(text, "base64url");
  const id = bytes.subarray(0, idBytes);
  const isGenuine = timingSafeEqual(signBytes(secret, purpose, id), bytes.subarray(idBytes));
  if (!isGenuine || bytesWritten !== bytes.length || bytes.toString("base64url") !== text) return null;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
