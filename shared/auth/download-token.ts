import { signPayload, verifyPayload } from "./signed-payload.ts";

/** Claims of a download link: the export it grants access to, and its expiry. */
export interface DownloadClaims {
  readonly tenantId: string;
  readonly userId: string;
  readonly exportId: string;
  readonly expiresAtMs: number;
  /** Number of the ZIP archive to download; absent for the text of the export. */
  readonly part?: number;
}

const purpose = "download";

/** Creates the token of a download link. The token contains its claims and a signature, so the service does not store it. */
export function createDownloadToken(
  secret: string,
  { tenantId, userId, exportId, expiresAtMs, part }: DownloadClaims,
): string {
  return signPayload(secret, purpose, [tenantId, userId, exportId, expiresAtMs, ...(part ? [part] : [])]);
}

/** Returns the claims of a download token without checking its expiry, or null if its signature is invalid. */
export function verifyDownloadToken(secret: string, token: string): DownloadClaims | null {
  const claims = verifyPayload(secret, purpose, token) as [string, string, string, number, number?] | null;
  if (!claims) return null;
  const [tenantId, userId, exportId, expiresAtMs, part] = claims;
  return { tenantId, userId, exportId, expiresAtMs, ...(part && { part }) };
}
