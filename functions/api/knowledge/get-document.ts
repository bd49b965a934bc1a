import { getDocument } from "#shared/api/documents.ts";
import { getCollection } from "#shared/data/collection-store.ts";
import * as documents from "#shared/data/document-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getDocument, async ({ principal, params }) => {
  await getCollection(principal, params.id);
  return documents.getDocument(principal, { collection_id: params.id, id: params.document_id });
});
