import { createHmac, timingSafeEqual } from "node:crypto";

/** What a download link leads to, and until when (epoch milliseconds). */
export interface Download {
  readonly tenantId: string;
  readonly userId: string;
  readonly exportId: string;
  readonly until: number;
}

const codeFor = (secret: string, body: string) =>
  createHmac("sha256", secret).update("download:").update(body).digest("base64url");

/** The token of a download link: all it takes to check it is in it, so nothing has to be kept. */
export function downloadToken(secret: string, { tenantId, userId, exportId, until }: Download): string {
  const body = Buffer.from(JSON.stringify([tenantId, userId, exportId, until])).toString("base64url");
  return `${body}.${codeFor(secret, body)}`;
}

/** What a token leads to; null for a text that is none of this deployment's. */
export function readDownloadToken(secret: string, token: string): Download | null {
  const [body = "", code = ""] = token.split(".");
  const [given, right] = [Buffer.from(code), Buffer.from(codeFor(secret, body))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [tenantId, userId, exportId, until] = JSON.parse(Buffer.from(body, "base64url").toString());
  return { tenantId, userId, exportId, until };
}
