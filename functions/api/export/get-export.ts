import { getExport } from "#shared/api/exports.ts";
import { withDownload } from "#shared/auth/download.ts";
import * as exports from "#shared/data/export-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getExport, async ({ principal, params }) =>
  withDownload(principal, await exports.getExport(principal, params.id)),
);
