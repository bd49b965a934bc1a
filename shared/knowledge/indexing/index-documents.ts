import { isRetryableError } from "../../dynamodb/retryable-errors.ts";
import type { Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { findCollections } from "../collection-store.ts";
import {
  type DocumentRef,
  findDocuments,
  findDocumentText,
  indexingWrite,
  type Placement,
  purgeDocuments,
  removePlacementWrite,
  type StoredDocument,
  uncountWrite,
} from "../document-store.ts";
import type { IndexedPassage } from "../index/knowledge-index.ts";
import { knowledgeIndexes } from "../index/knowledge-indexes.ts";
import { detectLanguage, type Language } from "../index/languages.ts";
import { countPassageTerms } from "../index/lexical-index.ts";
import {
  allocatePassageNumbers,
  deletePassages,
  putPassages,
  type StoredPassage,
  statisticsWrite,
} from "../index/passage-store.ts";
import { type Audience, getAudience } from "../knowledge-access.ts";
import { ignoreAlreadyCounted, ignoreGone } from "./ignore-gone.ts";
import { splitIntoPassages } from "./split-into-passages.ts";

/** Document with its current or intended location in the index. */
interface PlacedDocument {
  readonly document: StoredDocument;
  readonly placement: Placement;
  readonly passages: readonly StoredPassage[];
}

/** Document to be indexed for an audience. */
interface PendingDocument {
  readonly document: StoredDocument;
  readonly audience: Audience;
}

/** The document contains nothing to index. The message is shown to users. */
class UnreadableDocument extends Error {}

function toStoredPassages(document: StoredDocument, text: string, first: number): StoredPassage[] {
  return splitIntoPassages(text, document.media_type).map((passage, place) => ({
    passage: first + place,
    document_id: document.id,
    collection_id: document.collection_id,
    place,
    ...passage,
  }));
}

const toIndexedPassage = ({ title }: StoredDocument, language: Language, passage: StoredPassage): IndexedPassage => ({
  passage: passage.passage,
  collectionId: passage.collection_id,
  language,
  title,
  headings: passage.headings,
  text: passage.text,
});

const toIndexedPassages = (documents: readonly PlacedDocument[]) =>
  documents.flatMap(({ document, placement, passages }) =>
    passages.map((passage) => toIndexedPassage(document, placement.language, passage)),
  );

const groupByAudience = (documents: readonly PlacedDocument[]) =>
  Map.groupBy(documents, ({ placement }) => placement.audience);

/**
 * Reconciles the index with the current state of documents: adds new ones, removes deleted ones, and moves those whose
 * collection changed its audience. Idempotent. Documents in one batch share the writes of common terms.
 */
export async function reconcileDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<void> {
  for (const group of groupBySize(await findDocuments(scope, refs))) await reconcile(scope, group);
}

/** Size limit of the texts in one batch, which bounds the memory and time that it takes. */
const MAX_BATCH_BYTES = 1_500_000;

/** Groups documents into batches. */
export function groupBySize(documents: readonly StoredDocument[]): StoredDocument[][] {
  const groups: StoredDocument[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const document of documents) {
    bytes += document.size;
    if (bytes > MAX_BATCH_BYTES) {
      groups.push([]);
      bytes = document.size;
    }
    groups.at(-1)?.push(document);
  }
  return groups;
}

async function reconcile(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  const collectionIds = [...new Set(documents.map(({ collection_id }) => collection_id))];
  const collections = await findCollections(scope, collectionIds);
  const audiences = new Map(collections.map((collection) => [collection.id, getAudience(collection)]));
  const findAudience = ({ deleted, collection_id }: StoredDocument) =>
    deleted ? undefined : audiences.get(collection_id);

  const deleted = documents.filter((document) => findAudience(document) === undefined);
  const pending = documents.flatMap((document) => {
    const audience = findAudience(document);
    return audience !== undefined && document.status === "indexing" ? [{ document, audience }] : [];
  });
  const isMisplaced = ({ document: { placement }, audience }: PendingDocument) =>
    placement !== undefined && placement.audience !== audience;
  const misplaced = pending.filter(isMisplaced).map(({ document }) => document);
  await removeFromIndex(scope, [...deleted, ...misplaced]);
  await purgeDocuments(scope, deleted);
  await addToIndex(
    scope,
    pending.map((entry) =>
      isMisplaced(entry) ? { ...entry, document: { ...entry.document, placement: undefined } } : entry,
    ),
  );
}

/** Removes the postings, statistics and passages of documents from the index. */
async function removeFromIndex(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  const placed = await mapConcurrent(
    documents.filter(({ placement }) => placement !== undefined),
    async (document) => {
      const placement = document.placement as Placement;
      const text = (await findDocumentText(scope, document.id)) ?? "";
      return { document, placement, passages: toStoredPassages(document, text, placement.first) };
    },
    4,
  );
  for (const [audience, group] of groupByAudience(placed)) {
    const passages = toIndexedPassages(group);
    for (const index of knowledgeIndexes) await index.remove(scope, audience, passages);
    await updateStatistics(
      scope,
      audience,
      group.filter(({ document }) => document.counted),
      -1,
      (document) => uncountWrite(scope, document),
    );
    await mapConcurrent(group, ({ placement }) => deletePassages(scope, audience, placement));
    await mapConcurrent(group, ({ document }) =>
      tenantTable(scope).write(removePlacementWrite(scope, document)).catch(ignoreGone),
    );
  }
}

/** Adds documents to the index. Marks a document that cannot be indexed as failed and continues with the others. */
async function addToIndex(scope: TenantScope, pending: readonly PendingDocument[]): Promise<void> {
  const placed = await mapConcurrent(pending, (entry) => placeDocument(scope, entry), 4);
  for (const [audience, group] of groupByAudience(placed.filter((entry) => entry !== null))) {
    await putPassages(
      scope,
      audience,
      group.flatMap(({ passages }) => passages),
    );
    const passages = toIndexedPassages(group);
    for (const index of knowledgeIndexes) await index.add(scope, audience, passages);
    await updateStatistics(scope, audience, group, 1, (document, { count }) =>
      indexingWrite(scope, document, { status: "ready", chunk_count: count, counted: true }),
    );
  }
}

/** Splits a document into passages and allocates their numbers. Returns null if the document is deleted or has failed. */
async function placeDocument(
  scope: TenantScope,
  { document, audience }: PendingDocument,
): Promise<PlacedDocument | null> {
  try {
    const text = (await findDocumentText(scope, document.id)) ?? "";
    const passages = toStoredPassages(document, text, 0);
    if (passages.length === 0) throw new UnreadableDocument("The document contains no visible text.");
    const language = detectLanguage(passages.map((passage) => passage.text).join(" "));
    const placement = document.placement ?? {
      audience,
      first: await allocatePassageNumbers(scope, audience, passages.length),
      count: passages.length,
      length: passages.reduce(
        (length, passage) => length + countPassageTerms(toIndexedPassage(document, language, passage)),
        0,
      ),
      language,
    };
    await tenantTable(scope).write(indexingWrite(scope, document, { placement }));
    const numbered = passages.map((passage) => ({ ...passage, passage: placement.first + passage.place }));
    return { document, placement, passages: numbered };
  } catch (error) {
    if (isRetryableError(error)) throw error;
    if (error instanceof ServiceError && error.code === "not_found") return null;
    if (!(error instanceof UnreadableDocument)) log.error("indexing failed", { document_id: document.id, error });
    const reason = error instanceof UnreadableDocument ? error.message : "The document could not be parsed.";
    await tenantTable(scope)
      .write(indexingWrite(scope, document, { status: "failed", error: reason }))
      .catch(ignoreGone);
    return null;
  }
}

function toChunks<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
    entries.slice(index * size, (index + 1) * size),
  );
}

/** Documents that are counted in one transaction of at most 100 writes, one of which updates the statistics. */
const MAX_COUNTED_DOCUMENTS = 50;

/**
 * Updates the statistics and marks the documents as counted or not in the same transaction, so that each document counts
 * exactly once.
 */
async function updateStatistics(
  scope: TenantScope,
  audience: Audience,
  placed: readonly PlacedDocument[],
  sign: 1 | -1,
  toMarkWrite: (document: StoredDocument, placement: Placement) => Write,
): Promise<void> {
  const table = tenantTable(scope);
  const toStatisticsWrite = (language: Language, group: readonly PlacedDocument[]) =>
    statisticsWrite(scope, audience, language, {
      passages: sign * group.reduce((sum, { placement }) => sum + placement.count, 0),
      length: sign * group.reduce((sum, { placement }) => sum + placement.length, 0),
    });
  const toTransaction = (group: readonly PlacedDocument[]) => [
    ...group.map(({ document, placement }) => toMarkWrite(document, placement)),
    toStatisticsWrite(group[0]?.placement.language ?? "en", group),
  ];
  const countOneByOne = (group: readonly PlacedDocument[]) =>
    mapConcurrent(group, (entry) => table.transact(toTransaction([entry])).catch(ignoreAlreadyCounted), 4);
  const documentsByLanguage = [...Map.groupBy(placed, ({ placement }) => placement.language).values()];
  for (const group of documentsByLanguage.flatMap((documents) => toChunks(documents, MAX_COUNTED_DOCUMENTS))) {
    try {
      await table.transact(toTransaction(group));
    } catch (error) {
      ignoreAlreadyCounted(error);
      await countOneByOne(group);
    }
  }
}
