import { listImportsRoute } from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { listImports } from "#shared/knowledge/imports/import-store.ts";

export const handler = endpoint(listImportsRoute, async ({ principal, params, query }) => {
  await getCollection(principal, params.id);
  const page = await listImports(principal, params.id, query);
  return pageReply("imports", page, query.limit);
});
