import { createHmac, timingSafeEqual } from "node:crypto";

/** Bytes of an id, and of the code that only this deployment can make for it; together they need no padding. */
const idBytes = 16;
const codeBytes = 26;

function codeFor(secret: string, purpose: string, id: Buffer): Buffer {
  return createHmac("sha256", secret).update(purpose).update(id).digest().subarray(0, codeBytes);
}

/**
 * An id together with a code over it: 56 characters, 208 bits of them secret. It follows from the deployment's secret, so
 * it is given again whenever it is asked for, although nothing in the table yields it.
 * @param purpose what it is for; it proves nothing for any other purpose
 * @param id a UUID
 */
export function signId(secret: string, purpose: string, id: string): string {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return Buffer.concat([bytes, codeFor(secret, purpose, bytes)]).toString("base64url");
}

/** The id of a text that `provenId` made for this purpose, or null for any other text. */
export function verifySignedId(secret: string, purpose: string, text: string): string | null {
  const bytes = Buffer.alloc(idBytes + codeBytes);
  const written = bytes.write(text, "base64url");
  const id = bytes.subarray(0, idBytes);
  const genuine = timingSafeEqual(codeFor(secret, purpose, id), bytes.subarray(idBytes));
  if (!genuine || written !== bytes.length || bytes.toString("base64url") !== text) return null;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
