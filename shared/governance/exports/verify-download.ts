import { pathOf } from "../../api/define-route.ts";
import { downloadExportRoute, type Export } from "../../api/governance/exports.ts";
import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { createDownloadToken, type DownloadClaims, verifyDownloadToken } from "../../auth/download-token.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { gone, requireFound } from "../../lib/errors.ts";
import type { StoredExport } from "./export-store.ts";

const DOWNLOAD_LIFETIME_MS = 300_000;

/**
 * Converts an export to the form in which the API returns it. If it is ready, it has new download links, which are
 * valid for five minutes.
 */
export async function withDownloadUrl({ tenantId, userId }: UserScope, stored: StoredExport): Promise<Export> {
  if (stored.status !== "ready") return { ...stored, download_url: null, zip_urls: [] };
  const secret = (await loadAppSecrets()).current;
  const claims = { tenantId, userId, exportId: stored.id, expiresAtMs: now() + DOWNLOAD_LIFETIME_MS };
  const toUrl = (part?: number) =>
    pathOf(downloadExportRoute, { token: createDownloadToken(secret, { ...claims, ...(part && { part }) }) });
  const zip_urls = Array.from({ length: stored.zip_parts ?? 0 }, (_, index) => toUrl(index + 1));
  return { ...stored, download_url: toUrl(), zip_urls };
}

/**
 * Verifies the token of a download link.
 * @throws ServiceError `not_found` for an invalid token, `gone` for an expired one
 */
export async function verifyDownload(token: string): Promise<DownloadClaims> {
  const { recent } = await loadAppSecrets();
  const claims = requireFound(verifyWithAny(recent, (secret) => verifyDownloadToken(secret, token)));
  if (claims.expiresAtMs <= now()) throw gone("The download link has expired. Get the export again for a new one.");
  return claims;
}
