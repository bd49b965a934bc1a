import { createDocument } from "#shared/api/documents.ts";
import { getCollection } from "#shared/data/collection-store.ts";
import { documentWrites, newDocument } from "#shared/data/document-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createDocument, async ({ principal, params, body: { text, ...fields }, commit }) => {
  await getCollection(principal, params.id);
  const document = newDocument(params.id, principal.userId, text, { ...fields, source: null });
  return commit(document, ...documentWrites(principal, document, text));
});
