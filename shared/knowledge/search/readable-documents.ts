import { findCollections, type StoredCollection } from "../collection-store.ts";
import { findDocuments, type StoredDocument } from "../document-store.ts";
import type { RankedPassage } from "../index/knowledge-index.ts";
import type { StoredPassage } from "../index/passage-store.ts";
import type { KnowledgeReader } from "../knowledge-access.ts";
import { ReaderAccess } from "../readers/reader-access.ts";
import { asVisible } from "../staged.ts";

/** Document that a reader may read, with what its collection says about answers. */
export interface ReadableDocument extends StoredDocument {
  readonly collection: Pick<StoredCollection, "instructions" | "max_age_days">;
}

/**
 * Returns the documents of passages that are indexed and that the reader may read now, by id. The index is updated
 * asynchronously, so it can contain passages of deleted documents and of those whose readers have changed.
 */
export async function findReadableDocuments(
  reader: KnowledgeReader,
  passages: readonly Pick<StoredPassage, "document_id" | "collection_id">[],
): Promise<ReadonlyMap<string, ReadableDocument>> {
  const documents = new Map(
    passages.map(({ document_id, collection_id }) => [document_id, { id: document_id, collection_id }]),
  );
  const collectionIds = [...new Set(passages.map(({ collection_id }) => collection_id))];
  if (documents.size === 0) return new Map();
  const [foundDocuments, collections] = await Promise.all([
    findDocuments(reader, [...documents.values()]),
    findCollections(reader, collectionIds),
  ]);
  const access = ReaderAccess.of(reader);
  const collectionsById = new Map(collections.map((collection) => [collection.id, collection]));
  const readable = await Promise.all(
    foundDocuments.map(async (found) => {
      const collection = collectionsById.get(found.collection_id);
      const document = collection ? asVisible(found, access.completedSyncs(collection)) : found;
      if (document.deleted || !document.placement || !collection) return [];
      return (await access.canRead(collection, document)) ? [[document.id, { ...document, collection }] as const] : [];
    }),
  );
  return new Map(readable.flat());
}

/**
 * Returns true if a passage belongs to the active placement of its document, and not to one that is being added or
 * removed.
 */
export function isCurrent({ audience, passage }: RankedPassage, { placement }: StoredDocument): boolean {
  return (
    placement !== undefined &&
    placement.audience === audience &&
    passage >= placement.first &&
    passage < placement.first + placement.count
  );
}

interface DocumentFilters {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
}

/** Returns true if a document matches the filters of a search. Timestamps are in UTC, so they are compared as texts. */
export function matchesFilters(
  document: StoredDocument,
  { metadata = {}, updatedAfter = "", updatedBefore = "~" }: DocumentFilters,
): boolean {
  const hasMetadata = Object.entries(metadata).every(
    ([name, value]) => Object.hasOwn(document.metadata, name) && document.metadata[name] === value,
  );
  return hasMetadata && document.updated_at >= updatedAfter && document.updated_at < updatedBefore;
}
