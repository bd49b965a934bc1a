import { pathOf } from "../../api/define-route.ts";
import { downloadExport, type Export } from "../../api/governance/exports.ts";
import { appSecret } from "../../auth/app-secret.ts";
import { createDownloadToken, type DownloadClaims, verifyDownloadToken } from "../../auth/download-token.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { gone, notFound } from "../../lib/errors.ts";
import type { StoredExport } from "./export-store.ts";

/** How long a download link works, in milliseconds. */
const lifetime = 300_000;

/** An export as its owner gets to see it: a ready one with a fresh link. */
export function withDownload({ tenantId, userId }: UserScope, stored: StoredExport): Export {
  if (stored.status !== "ready") return { ...stored, download_url: null };
  const download = { tenantId, userId, exportId: stored.id, expiresAtMs: now() + lifetime };
  return { ...stored, download_url: pathOf(downloadExport, { token: createDownloadToken(appSecret(), download) }) };
}

/**
 * What the token of a download link leads to.
 * @throws ServiceError `not_found` for a text that never was a token, `gone` for one whose time is over
 */
export function verifyDownload(token: string): DownloadClaims {
  const download = verifyDownloadToken(appSecret(), token);
  if (!download) throw notFound();
  if (download.expiresAtMs <= now()) throw gone("This link has expired. Read the export again for a fresh one.");
  return download;
}
