import { listDocuments } from "#shared/api/knowledge/documents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import * as documents from "#shared/knowledge/document-store.ts";

export const handler = endpoint(listDocuments, async ({ principal, params, query }) => {
  await getCollection(principal, params.id);
  const page = await documents.listDocuments(principal, params.id, query);
  return { documents: [...page.entries], limit: query.limit, next_cursor: page.next };
});
