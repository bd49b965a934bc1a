import type { UserPrincipal } from "../auth/principal.ts";
import { listCollections } from "../knowledge/collection-store.ts";
import { findDocumentText } from "../knowledge/document-source-store.ts";
import { getDocument, listDocuments } from "../knowledge/document-store.ts";
import { ReaderAccess } from "../knowledge/readers/reader-access.ts";
import { notFound } from "../lib/errors.ts";

/** Maximum number of documents of a collection that are listed. Clients find the others with the tool `search_knowledge`. */
const MAX_LISTED_DOCUMENTS = 100;

const uriOf = (collectionId: string, documentId: string) =>
  `switchboard://collections/${collectionId}/documents/${documentId}`;

/** Resource template of MCP, which tells clients the form of a document's URI. */
export const documentTemplate = {
  uriTemplate: uriOf("{collection_id}", "{document_id}"),
  name: "document",
  title: "Document",
  description: "Text of a document that search_knowledge found.",
  mimeType: "text/plain",
};

/**
 * Lists the documents that a user may read as MCP resources. Each page has the documents of one collection.
 * @throws ServiceError `invalid_cursor`
 */
export async function listResources(principal: UserPrincipal, cursor?: string) {
  const access = new ReaderAccess(principal);
  const page = await listCollections(access, { limit: 1, ...(cursor !== undefined && { cursor }) });
  const [collection] = page.entries;
  const documents = collection
    ? (await listDocuments(access, collection, { limit: MAX_LISTED_DOCUMENTS })).entries
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

/**
 * Returns the text of a document by its resource URI.
 * @throws ServiceError `not_found`
 */
export async function readResource(principal: UserPrincipal, uri: string) {
  const [, collectionId, documentId] = /^switchboard:\/\/collections\/([^/]+)\/documents\/([^/]+)$/.exec(uri) ?? [];
  if (!collectionId || !documentId) throw notFound();
  const { document } = await getDocument(principal, { collection_id: collectionId, id: documentId });
  const text = await findDocumentText(principal, document, document.indexed_version ?? document.version);
  if (text === undefined) throw notFound();
  return { contents: [{ uri, mimeType: "text/plain", text }] };
}
