import { listDocumentsRoute } from "#shared/api/knowledge/documents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { listDocuments } from "#shared/knowledge/document-store.ts";

export const handler = endpoint(listDocumentsRoute, async ({ principal, params, query }) => {
  await getCollection(principal, params.id);
  const page = await listDocuments(principal, params.id, query);
  return pageReply("documents", page, query.limit);
});
