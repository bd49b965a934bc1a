import { createHmac, timingSafeEqual } from "node:crypto";

function sign(secret: string, purpose: string, payload: string): string {
  return createHmac("sha256", secret).update(`${purpose}:`).update(payload).digest("base64url");
}

/**
 * Returns a signed value: `<payload>.<signature>`. The payload is not encrypted.
 * @param purpose binds the signature to its use; it is invalid for any other purpose
 */
export function signPayload(secret: string, purpose: string, value: unknown): string {
  const payload = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${payload}.${sign(secret, purpose, payload)}`;
}

/** Verifies a text that `signPayload` created and returns its value; null for any other text or purpose. */
export function verifyPayload(secret: string, purpose: string, text: string): unknown {
  const [payload = "", signature = "", ...rest] = text.split(".");
  const [actual, expected] = [Buffer.from(signature), Buffer.from(sign(secret, purpose, payload))];
  if (rest.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}
