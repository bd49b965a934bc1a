import { deleteDocumentRoute } from "#shared/api/knowledge/documents.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { deleteDocument, getDocument } from "#shared/knowledge/document-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";

export const handler = endpoint(deleteDocumentRoute, async ({ principal, params, rights }) => {
  const collection = await getCollection(principal, params.id);
  const document = await getDocument(principal, { collection_id: params.id, id: params.document_id });
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, document.author_id], (await rights()).permissions);
  await deleteDocument(principal, document);
});
