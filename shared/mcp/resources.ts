import type { UserPrincipal } from "../auth/principal.ts";
import { getCollection, listCollections } from "../knowledge/collection-store.ts";
import { findDocumentText } from "../knowledge/document-source-store.ts";
import { getDocument, listDocuments } from "../knowledge/document-store.ts";
import { notFound } from "../lib/errors.ts";

/** Documents of one collection that a page lists; `search_knowledge` finds the others. */
const MAX_LISTED_DOCUMENTS = 100;

const uriOf = (collectionId: string, documentId: string) =>
  `switchboard://collections/${collectionId}/documents/${documentId}`;

/** Form of the addresses of documents. */
export const documentTemplate = {
  uriTemplate: uriOf("{collection_id}", "{document_id}"),
  name: "document",
  title: "Document",
  description: "Text of a document that search_knowledge found.",
  mimeType: "text/plain",
};

/** Lists documents that a user may read: a page has those of one collection. @throws ServiceError `invalid_cursor` */
export async function listResources(principal: UserPrincipal, cursor?: string) {
  const page = await listCollections(principal, { limit: 1, ...(cursor !== undefined && { cursor }) });
  const [collection] = page.entries;
  const documents = collection
    ? (await listDocuments(principal, collection.id, { limit: MAX_LISTED_DOCUMENTS })).entries
    : [];
  return {
    resources: documents.map(({ id, title }) => ({
      uri: uriOf(collection?.id ?? "", id),
      name: title,
      description: `Document of the collection ${collection?.name}.`,
      mimeType: "text/plain",
    })),
    ...(page.next !== null && { nextCursor: page.next }),
  };
}

/** Reads a document. @throws ServiceError `not_found` */
export async function readResource(principal: UserPrincipal, uri: string) {
  const [, collectionId, documentId] = /^switchboard:\/\/collections\/([^/]+)\/documents\/([^/]+)$/.exec(uri) ?? [];
  if (!collectionId || !documentId) throw notFound();
  await getCollection(principal, collectionId);
  const document = await getDocument(principal, { collection_id: collectionId, id: documentId });
  const text = await findDocumentText(principal, document, document.indexed_version ?? document.version);
  if (text === undefined) throw notFound();
  return { contents: [{ uri, mimeType: "text/plain", text }] };
}
