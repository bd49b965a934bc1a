import { isRetryableError } from "../../dynamodb/is-retryable-error.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { findCollections } from "../collection-store.ts";
import { deleteSources, getSegments } from "../document-source-store.ts";
import { discardWrite, type FailureCode, failureWrite, pendingWrite } from "../document-state.ts";
import { type DocumentRef, findDocuments, type StoredDocument, toDocumentKey } from "../document-store.ts";
import { countPassageTerms } from "../index/lexical-index.ts";
import { allocatePassageNumbers } from "../index/passage-store.ts";
import type { Audience } from "../knowledge-access.ts";
import type { Placement } from "../placement.ts";
import { type CollectionAccess, toAudience } from "../readers/audiences.ts";
import { recordAudience } from "../readers/reader-audiences.ts";
import { toIndexable } from "../staged.ts";
import { activatePlacements, deactivatePlacements } from "./activate-placements.ts";
import {
  addPassages,
  type PlacedDocument,
  removePassages,
  toIndexedPassage,
  toStoredPassages,
} from "./change-index.ts";
import { ignoreGone } from "./ignore-gone.ts";

/** Document to index for the audience of its readers. */
interface PendingDocument {
  readonly document: StoredDocument;
  readonly collection: CollectionAccess;
}

/** Error for a document that contains no text to index. */
class UnreadableDocument extends Error {}

/**
 * Reconciles the index with the current state of documents: adds new versions, removes replaced versions and deleted
 * documents, and moves documents whose collection has a new audience. Idempotent. Documents of one batch share the
 * writes for common terms.
 */
export async function reconcileDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<void> {
  for (const group of groupBySize(await findIndexable(scope, refs))) await reconcile(scope, group);
}

const findIndexable = async (scope: TenantScope, refs: readonly DocumentRef[]): Promise<StoredDocument[]> =>
  (await findDocuments(scope, refs)).map(toIndexable);

/** Maximum total size of the texts in one batch, which limits its memory and time. */
const MAX_BATCH_BYTES = 1_500_000;

/** Groups documents into batches of at most `MAX_BATCH_BYTES`, in order. A larger document is a batch on its own. */
export function groupBySize(documents: readonly StoredDocument[]): StoredDocument[][] {
  const groups: StoredDocument[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const document of documents) {
    bytes += document.source_bytes;
    if (bytes > MAX_BATCH_BYTES) {
      groups.push([]);
      bytes = document.source_bytes;
    }
    groups.at(-1)?.push(document);
  }
  return groups;
}

async function reconcile(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  const collectionIds = [...new Set(documents.map(({ collection_id }) => collection_id))];
  const collections = await findCollections(scope, collectionIds);
  const collectionsById = new Map(collections.map((collection) => [collection.id, collection]));
  const findAudience = (document: StoredDocument) => {
    const collection = document.deleted ? undefined : collectionsById.get(document.collection_id);
    return collection && toAudience(collection, document);
  };

  const gone = documents.filter((document) => findAudience(document) === undefined);
  const existing = documents.filter((document) => findAudience(document) !== undefined);
  const outdated = existing.filter((document) => {
    const { next_placement: next, version } = document;
    return next !== undefined && (next.version !== version || next.audience !== findAudience(document));
  });
  await discardNextPlacements(scope, [...gone, ...outdated]);
  await deactivatePlacements(scope, gone);
  if (gone.length + outdated.length > 0) {
    // Read the documents again, because the writes above have changed them.
    const changed = await findIndexable(scope, [...gone, ...outdated]);
    const changedIds = new Set(changed.map(({ id }) => id));
    const others = existing.filter(({ id }) => !changedIds.has(id));
    const goneIds = new Set(gone.map(({ id }) => id));
    await removeRetired(scope, [...changed, ...others]);
    await purgeDocuments(
      scope,
      changed.filter(({ id }) => goneIds.has(id)),
    );
    await addToIndex(scope, toPending([...changed.filter(({ id }) => !goneIds.has(id)), ...others], collectionsById));
    return;
  }
  await addToIndex(scope, toPending(existing, collectionsById));
  await removeRetired(scope, existing);
}

/**
 * Returns the documents to index. Documents whose file is not read yet are left out; the job of the file triggers their
 * indexing.
 */
function toPending(
  documents: readonly StoredDocument[],
  collectionsById: ReadonlyMap<string, CollectionAccess>,
): PendingDocument[] {
  return documents.flatMap((document) => {
    const collection = document.deleted ? undefined : collectionsById.get(document.collection_id);
    const isPending = document.status === "indexing" && !document.awaits_file && document.stage !== "staged";
    return collection && isPending ? [{ document, collection }] : [];
  });
}

/**
 * Schedules the removal of the documents' next placements, which are parts of the index that searches do not use yet,
 * because the document is gone, or its version or audience has changed. Documents that were removed in the meantime are
 * skipped.
 */
async function discardNextPlacements(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  await mapConcurrent(documents, async (document) => {
    const { next_placement: next } = document;
    if (next)
      await tenantTable(scope)
        .write(discardWrite(scope, document, next))
        .catch(ignoreGone);
  });
}

/** Removes the passages and postings of retired placements. */
async function removeRetired(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  await removePassages(
    scope,
    documents.filter(({ retired = [] }) => retired.length > 0),
  );
}

/**
 * Adds documents to the index and activates them. A document that cannot be indexed is marked as failed, and the others
 * continue.
 */
async function addToIndex(scope: TenantScope, pending: readonly PendingDocument[]): Promise<void> {
  const byAudience = Map.groupBy(pending, ({ collection, document }) => toAudience(collection, document));
  for (const [first] of byAudience.values()) {
    if (first) await recordAudience(scope, first.collection, first.document);
  }
  const placed = await mapConcurrent(pending, (entry) => placeDocument(scope, entry), 4);
  const added = await addPassages(
    scope,
    placed.filter((entry) => entry !== null),
  );
  const activated = await activatePlacements(scope, added);
  await removeRetired(scope, activated);
}

/** Deletes documents and their sources permanently. */
export async function purgeDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<void> {
  await Promise.all(refs.map(({ id }) => deleteSources(scope, id)));
  await tenantTable(scope).deleteMany(refs.map((ref) => toDocumentKey(scope, ref)));
}

/**
 * Splits a document into passages and allocates their numbers. Null if the document was deleted or could not be
 * processed.
 */
async function placeDocument(
  scope: TenantScope,
  { document, collection }: PendingDocument,
): Promise<PlacedDocument | null> {
  try {
    const passages = toStoredPassages(document, await getSegments(scope, document, document.version));
    if (passages.length === 0) throw new UnreadableDocument();
    const audience = toAudience(collection, document);
    const placement = document.next_placement ?? (await createPlacement(scope, document, audience, passages));
    const numbered = passages.map((passage) => ({ ...passage, passage: placement.first + passage.place }));
    return { document: { ...document, next_placement: placement }, placement, passages: numbered };
  } catch (error) {
    if (isRetryableError(error)) throw error;
    if (error instanceof ServiceError && error.code === "not_found") return null;
    const code: FailureCode = error instanceof UnreadableDocument ? "empty" : "processing_failed";
    if (code === "processing_failed") log.error("indexing failed", { document_id: document.id, error });
    await tenantTable(scope)
      .write(failureWrite(scope, document, code))
      .catch(ignoreGone);
    return null;
  }
}

/**
 * Allocates passage numbers for a version and stores them in the document before any passage is written, so that all
 * can be removed after an interruption.
 */
async function createPlacement(
  scope: TenantScope,
  document: StoredDocument,
  audience: Audience,
  passages: PlacedDocument["passages"],
): Promise<Placement> {
  const { title, version, updated_at: added_at } = document;
  const { first, statistics } = await allocatePassageNumbers(scope, audience, passages.length);
  const language = detectLanguage(passages.map((passage) => passage.text).join(" "), statistics.byLanguage);
  const lengths = passages.map((passage) => countPassageTerms(toIndexedPassage({ title, language }, passage)));
  const placement: Placement = {
    audience,
    first,
    count: passages.length,
    length: lengths.reduce((sum, length) => sum + length, 0),
    language,
    version,
    title,
    added_at,
    indexed: 0,
  };
  const state = { next_placement: placement, stage: "indexing", progress: 0.5 } as const;
  await tenantTable(scope).write(pendingWrite(scope, document, state));
  return placement;
}
