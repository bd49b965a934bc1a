import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { deleteCollectionItem, findCollections, resumePurgeWrite } from "../collection-store.ts";
import { deleteSyncs } from "../delete-syncs.ts";
import { markDeletedWrite, reindexWrite } from "../document-state.ts";
import { type DocumentRef, findDocuments, listDocumentsAfter, type StoredDocument } from "../document-store.ts";
import { deleteImports } from "../imports/import-runs.ts";
import { type CollectionAccess, toAudience } from "../readers/audiences.ts";
import { ignoreGone } from "./ignore-gone.ts";
import { groupBySize, reconcileDocuments } from "./index-documents.ts";

/** Number of documents that one query reads. */
const DOCUMENT_BATCH_SIZE = 400;

/** Time after which a purge stops and triggers another one. The function's timeout is one minute. */
const MAX_PURGE_DURATION_MS = 30_000;

/** Yields all documents of a collection in batches. */
async function* readDocuments(scope: TenantScope, collectionId: string): AsyncGenerator<StoredDocument[]> {
  let afterId: string | undefined;
  do {
    const batch = await listDocumentsAfter(scope, collectionId, afterId, DOCUMENT_BATCH_SIZE);
    if (batch.length > 0) yield batch;
    afterId = batch.length < DOCUMENT_BATCH_SIZE ? undefined : batch.at(-1)?.id;
  } while (afterId !== undefined);
}

/**
 * Purges a deleted collection: documents with passages and postings, then its imports and its tombstone. A purge that
 * takes too long updates the tombstone, which triggers the next purge. Documents that are being indexed are only marked
 * as deleted; this change triggers their own purge.
 */
export async function purgeCollection(scope: TenantScope, collectionId: string): Promise<void> {
  const deadlineMs = now() + MAX_PURGE_DURATION_MS;
  for await (const documents of readDocuments(scope, collectionId)) {
    const { indexing = [], indexed = [] } = Object.groupBy(documents, ({ status }) =>
      status === "indexing" ? "indexing" : "indexed",
    );
    await mapConcurrent(indexing, (document) =>
      tenantTable(scope).write(markDeletedWrite(scope, document)).catch(ignoreGone),
    );
    for (const group of groupBySize(indexed)) {
      await reconcileDocuments(scope, group);
      if (now() < deadlineMs) continue;
      await tenantTable(scope).write(resumePurgeWrite(scope, collectionId));
      return;
    }
  }
  await deleteImports(scope, collectionId);
  await deleteSyncs(scope, collectionId);
  await deleteCollectionItem(scope, collectionId);
}

/**
 * Returns true if a document must be indexed again, because its readers have changed. If indexing of its latest version failed,
 * the previous version keeps its audience until there is another version.
 */
const isMisplaced = (collection: CollectionAccess, document: StoredDocument) => {
  const { status, placement, awaits_file, deleted } = document;
  return status !== "failed" && !awaits_file && !deleted && placement?.audience !== toAudience(collection, document);
};

/** Schedules a document to be indexed again, if its readers have changed since. */
export async function reindexDocument(scope: TenantScope, ref: DocumentRef): Promise<void> {
  const [[document], [collection]] = await Promise.all([
    findDocuments(scope, [ref]),
    findCollections(scope, [ref.collection_id]),
  ]);
  if (!document || !collection || !isMisplaced(collection, document)) return;
  await tenantTable(scope).write(reindexWrite(scope, document)).catch(ignoreGone);
}

/** Schedules the documents of a collection to be indexed again for its new readers. */
export async function reindexCollection(
  scope: TenantScope,
  collection: CollectionAccess & { readonly id: string },
): Promise<void> {
  for await (const documents of readDocuments(scope, collection.id)) {
    const misplaced = documents.filter((document) => isMisplaced(collection, document));
    await mapConcurrent(misplaced, (document) =>
      tenantTable(scope).write(reindexWrite(scope, document)).catch(ignoreGone),
    );
  }
}
