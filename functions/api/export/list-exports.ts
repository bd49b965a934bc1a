import { listExports } from "#shared/api/exports.ts";
import { withDownload } from "#shared/auth/download.ts";
import * as exports from "#shared/data/export-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listExports, async ({ principal, query }) => {
  const { entries, next } = await exports.listExports(principal, query);
  return { exports: entries.map((entry) => withDownload(principal, entry)), limit: query.limit, next_cursor: next };
});
