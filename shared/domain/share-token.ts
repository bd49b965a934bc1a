import { createHmac, timingSafeEqual } from "node:crypto";

/** Bytes of an id, and of the code that only this deployment can make for it; together they need no padding. */
const idBytes = 16;
const codeBytes = 26;

function codeFor(secret: string, id: Buffer): Buffer {
  return createHmac("sha256", secret).update("share-link:").update(id).digest().subarray(0, codeBytes);
}

/**
 * The token of a link: 56 characters, 208 bits of them secret. It follows from the deployment's secret and the link's
 * id, so that a retried creation gives the same token although nothing in the table yields it.
 */
export function shareToken(secret: string, linkId: string): string {
  const id = Buffer.from(linkId.replaceAll("-", ""), "hex");
  return Buffer.concat([id, codeFor(secret, id)]).toString("base64url");
}

/** Whether a text is the token of a link this deployment made at any time, be anything known of that link or not. */
export function isShareToken(secret: string, text: string): boolean {
  const bytes = Buffer.alloc(idBytes + codeBytes);
  const written = bytes.write(text, "base64url");
  const genuine = timingSafeEqual(codeFor(secret, bytes.subarray(0, idBytes)), bytes.subarray(idBytes));
  return genuine && written === bytes.length && bytes.toString("base64url") === text;
}
