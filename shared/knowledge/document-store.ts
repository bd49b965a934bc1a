import * as v from "valibot";
import { KnowledgeDocument } from "../api/knowledge/documents.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { allOf, equals, type Item, notDeleted, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { storageWrite } from "../tenancy/storage-store.ts";
import { documentCountWrite, findCollections, type StoredCollection } from "./collection-store.ts";
import { type DocumentSource, sourceWrites } from "./document-source-store.ts";
import type { KnowledgeReader } from "./knowledge-access.ts";
import type { Placement } from "./placement.ts";
import { ReaderAccess } from "./readers/reader-access.ts";
import { asVisible, notStaged, stagedFields } from "./staged.ts";

const StoredDocument = v.object({
  ...KnowledgeDocument.entries,
  /** Size of the text or the extracted segments, in bytes. Batches are limited by it. */
  source_bytes: v.number(),
  /** True until the file of the latest version was read. */
  awaits_file: v.optional(v.boolean()),
  /** Number of times that processing of the file was started. */
  attempts: v.optional(v.number()),
  /** Placement of the version that searches find. It is included in the statistics of the index. */
  placement: v.optional(trusted<Placement>()),
  /**
   * Placement of the version that is being added to the index. It is stored before the first passage, so that all
   * passages can be removed after an interruption.
   */
  next_placement: v.optional(trusted<Placement>()),
  /** Placements that are being removed from the index. */
  retired: v.optional(trusted<readonly Placement[]>()),
  deleted: v.optional(v.boolean()),
  ...stagedFields,
});
export type StoredDocument = v.InferOutput<typeof StoredDocument>;

/** Key of a document within its tenant. */
export type DocumentRef = Pick<StoredDocument, "id" | "collection_id">;

/** Fields of a document that each new version replaces. */
export type VersionFields = Pick<StoredDocument, "title" | "media_type" | "uri" | "metadata" | "file_name" | "size">;

const readDocument = itemReader(StoredDocument);

export const toDocumentKey = ({ tenantId }: TenantScope, { collection_id, id }: DocumentRef) =>
  keys.document(tenantId, collection_id, id);

/** Initial state of a new version, which is not indexed yet. */
export const pendingState = {
  status: "indexing",
  stage: "queued",
  progress: 0,
  error: null,
  failure: null,
  page_count: null,
} as const;

/** Creates a document with its first version, which is not indexed yet. */
export function newDocument(
  collectionId: string,
  authorId: string,
  fields: VersionFields & Pick<KnowledgeDocument, "source"> & Partial<Pick<KnowledgeDocument, "readers">>,
): StoredDocument {
  const createdAt = timestamp();
  return {
    id: newId(),
    collection_id: collectionId,
    readers: null,
    ...fields,
    ...pendingState,
    author_id: authorId,
    version: 1,
    indexed_version: null,
    language: null,
    chunk_count: 0,
    source_bytes: fields.size,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

export function newTextDocument(
  collectionId: string,
  authorId: string,
  text: string,
  fields: Omit<VersionFields, "file_name" | "size"> &
    Pick<KnowledgeDocument, "source"> &
    Partial<Pick<KnowledgeDocument, "readers">>,
): StoredDocument {
  return newDocument(collectionId, authorId, { ...fields, file_name: null, size: Buffer.byteLength(text) });
}

/** New document with its text; `source` is null if its file is read later. */
interface NewDocument {
  readonly document: StoredDocument;
  readonly source: DocumentSource | null;
}

/**
 * Returns the writes that store new documents of one collection. They must be one transaction, which throws
 * ServiceError `storage_full` if the tenant's limits are exceeded and `not_found` if the collection is deleted.
 */
export async function newDocumentWrites(scope: TenantScope, entries: readonly NewDocument[]): Promise<Write[]> {
  const collectionId = entries[0]?.document.collection_id ?? "";
  const bytes = entries.reduce((sum, { document }) => sum + document.size, 0);
  return [
    await storageWrite(scope, { documents: entries.length, bytes }),
    documentCountWrite(scope, collectionId, {
      documents: entries.length,
      narrowed: entries.filter(({ document }) => document.readers !== null).length,
    }),
    ...entries.map(({ document, source }) => ({
      put: {
        ...toDocumentKey(scope, document),
        discriminator: "document",
        timestamp: now(),
        ...document,
        ...(source === null && { awaits_file: true }),
      },
    })),
    ...entries.flatMap(({ document, source }) =>
      source ? sourceWrites(scope, document.id, document.version, source) : [],
    ),
  ];
}

/**
 * Returns the documents with the given keys, in no particular order. Deleted ones that are not purged yet are included;
 * missing ones are left out.
 */
export async function findDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<StoredDocument[]> {
  const items = await batchGetAll(
    tenantTable(scope),
    refs.map((ref) => toDocumentKey(scope, ref)),
    { consistent: true },
  );
  return items.map(readDocument);
}

/**
 * Returns a document that the reader may read now, with its collection.
 * @throws ServiceError `not_found`
 */
export async function getDocument(
  reader: KnowledgeReader,
  ref: DocumentRef,
): Promise<{ readonly document: StoredDocument; readonly collection: StoredCollection }> {
  const [[found], [collection]] = await Promise.all([
    findDocuments(reader, [ref]),
    findCollections(reader, [ref.collection_id]),
  ]);
  const document = found && collection && asVisible(found, collection.completed_syncs);
  if (!document || document.deleted || !collection) throw notFound();
  await ReaderAccess.of(reader).authorize(collection, document);
  return { document, collection };
}

/**
 * Lists the documents of a collection that the reader may read now, newest first. The caller has checked that the reader may
 * read the collection.
 * @throws ServiceError `invalid_cursor`
 */
export async function listDocuments(
  reader: KnowledgeReader,
  collection: StoredCollection,
  request: PageRequest,
): Promise<Page<StoredDocument>> {
  const { pk } = keys.document(reader.tenantId, collection.id, "");
  const toVisible = (item: Item) => asVisible(readDocument(item), collection.completed_syncs);
  const access = ReaderAccess.of(reader);
  const list: ListQuery = {
    list: "documents",
    filters: { collectionId: collection.id },
    pk,
    prefix: keyPrefixes.document,
    descending: true,
    consistent: true,
    where: (item) => {
      const document = toVisible(item);
      return !document.deleted && access.canRead(collection, document);
    },
  };
  return mapPage(await listPage(reader, list, request), toVisible);
}

/**
 * Lists the documents of a collection after a document id, including deleted ones, for processing all documents in
 * batches.
 */
export async function listDocumentsAfter(
  scope: TenantScope,
  collectionId: string,
  afterId: string | undefined,
  limit: number,
): Promise<StoredDocument[]> {
  const { pk } = keys.document(scope.tenantId, collectionId, "");
  const items = await tenantTable(scope).query({
    pk,
    prefix: keyPrefixes.document,
    after: afterId && keys.document(scope.tenantId, collectionId, afterId).sk,
    limit,
    consistent: true,
  });
  return items.map(readDocument);
}

const goneOrChanged = (existing: Item | undefined) =>
  !existing || existing.deleted ? notFound() : changedConcurrently("The document");

/**
 * Deletes a document. Readers no longer find it from then on; the rule `index-document` removes its passages later.
 * @throws ServiceError `not_found`; `conflict` if its readers were changed concurrently
 */
export async function deleteDocument(scope: TenantScope, document: StoredDocument): Promise<void> {
  const { readers, collection_id } = document;
  await tenantTable(scope).transact([
    {
      update: toDocumentKey(scope, document),
      set: { deleted: true, timestamp: now() },
      condition: allOf([notDeleted(), equals({ readers })], goneOrChanged),
    },
    documentCountWrite(scope, collection_id, { documents: -1, narrowed: readers === null ? 0 : -1 }),
  ]);
}

/**
 * Returns the writes that change the readers of a document. They must be one transaction, upon which the rule `index-document`
 * moves the document to the index of its new audience. It throws ServiceError `not_found` if the document is deleted, and
 * `conflict` if its readers were changed concurrently.
 */
export function documentReadersWrites(
  scope: TenantScope,
  document: StoredDocument,
  readers: readonly string[] | null,
): Write[] {
  const narrowed = Number(readers !== null) - Number(document.readers !== null);
  return [
    {
      update: toDocumentKey(scope, document),
      set: { readers, timestamp: now() },
      condition: allOf([notDeleted(), equals({ readers: document.readers }), notStaged], goneOrChanged),
    },
    ...(narrowed === 0 ? [] : [documentCountWrite(scope, document.collection_id, { documents: 0, narrowed })]),
  ];
}
