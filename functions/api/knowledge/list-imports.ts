import { listImports } from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import * as imports from "#shared/knowledge/imports/import-store.ts";

export const handler = endpoint(listImports, async ({ principal, params, query }) => {
  await getCollection(principal, params.id);
  const page = await imports.listImports(principal, params.id, query);
  return pageReply("imports", page, query.limit);
});
