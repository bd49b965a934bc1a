import { createHash } from "node:crypto";

export function sha256Bytes(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Returns the SHA-256 digest of a text in base64url. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
