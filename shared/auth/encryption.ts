import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

function deriveEncryptionKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `seal:${purpose}`, 32));
}

/**
 * Encrypts a text with AES-256-GCM under a key derived from the secret, so that the table alone does not reveal it.
 * @param purpose binds the ciphertext to its use; it only decrypts for the same purpose
 * @returns nonce, tag and ciphertext in base64url
 */
export function encrypt(secret: string, purpose: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, deriveEncryptionKey(secret, purpose), nonce);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("base64url");
}

/**
 * Decrypts a text that `encrypt` returned.
 * @returns null if it was modified, or encrypted with another secret or for another purpose
 */
export function decrypt(secret: string, purpose: string, encrypted: string): string | null {
  const bytes = Buffer.from(encrypted, "base64url");
  const decipher = createDecipheriv(algorithm, deriveEncryptionKey(secret, purpose), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8");
  try {
    return text + decipher.final("utf8");
  } catch {
    return null;
  }
}
