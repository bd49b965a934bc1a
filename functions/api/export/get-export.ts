import { getExport } from "#shared/api/governance/exports.ts";
import * as exports from "#shared/governance/exports/export-store.ts";
import { withDownloadUrl } from "#shared/governance/exports/verify-download.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getExport, async ({ principal, params }) =>
  withDownloadUrl(principal, await exports.getExport(principal, params.id)),
);
