import { listExportsRoute } from "#shared/api/governance/exports.ts";
import { listExports } from "#shared/governance/exports/export-store.ts";
import { withDownloadUrl } from "#shared/governance/exports/verify-download.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listExportsRoute, async ({ principal, query }) => {
  const { entries, next } = await listExports(principal, query);
  const withUrls = await Promise.all(entries.map((entry) => withDownloadUrl(principal, entry)));
  return pageReply("exports", { entries: withUrls, next }, query.limit);
});
