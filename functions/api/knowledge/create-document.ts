import { createDocument } from "#shared/api/knowledge/documents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";

export const handler = endpoint(createDocument, async ({ principal, params, body: { text, ...fields }, commit }) => {
  await getCollection(principal, params.id);
  const document = newTextDocument(params.id, principal.userId, text, { ...fields, source: null });
  return commit(document, ...newDocumentWrites(principal, document, { format: fields.media_type, text }));
});
