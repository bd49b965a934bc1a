import { getDocumentRoute } from "#shared/api/knowledge/documents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { getDocument } from "#shared/knowledge/document-store.ts";

export const handler = endpoint(getDocumentRoute, async ({ principal, params }) => {
  await getCollection(principal, params.id);
  return getDocument(principal, { collection_id: params.id, id: params.document_id });
});
