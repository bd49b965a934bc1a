import { getExportRoute } from "#shared/api/governance/exports.ts";
import { getExport } from "#shared/governance/exports/export-store.ts";
import { withDownloadUrl } from "#shared/governance/exports/verify-download.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getExportRoute, async ({ principal, params }) =>
  withDownloadUrl(principal, await getExport(principal, params.id)),
);
