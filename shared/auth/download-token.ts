import { createHmac, timingSafeEqual } from "node:crypto";

/** Claims of a download link: the export it grants access to, and its expiry. */
export interface DownloadClaims {
  readonly tenantId: string;
  readonly userId: string;
  readonly exportId: string;
  readonly expiresAtMs: number;
}

const signPayload = (secret: string, payload: string) =>
  createHmac("sha256", secret).update("download:").update(payload).digest("base64url");

/** Creates the token of a download link. The token is self-contained, so nothing is stored for it. */
export function createDownloadToken(
  secret: string,
  { tenantId, userId, exportId, expiresAtMs }: DownloadClaims,
): string {
  const payload = Buffer.from(JSON.stringify([tenantId, userId, exportId, expiresAtMs])).toString("base64url");
  return `${payload}.${signPayload(secret, payload)}`;
}

/** Returns the claims of a download token without checking its expiry, or null if its signature is invalid. */
export function verifyDownloadToken(secret: string, token: string): DownloadClaims | null {
  const [payload = "", signature = ""] = token.split(".");
  const [actual, expected] = [Buffer.from(signature), Buffer.from(signPayload(secret, payload))];
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
  const [tenantId, userId, exportId, expiresAtMs] = JSON.parse(Buffer.from(payload, "base64url").toString());
  return { tenantId, userId, exportId, expiresAtMs };
}
