import { listDocuments } from "#shared/api/documents.ts";
import { getCollection } from "#shared/data/collection-store.ts";
import * as documents from "#shared/data/document-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listDocuments, async ({ principal, params, query }) => {
  await getCollection(principal, params.id);
  const page = await documents.listDocuments(principal, params.id, query);
  return { documents: [...page.entries], limit: query.limit, next_cursor: page.next };
});
