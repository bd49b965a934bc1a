import { isRetryableError } from "../../dynamodb/retryable-errors.ts";
import { TransactionFailed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { findCollections } from "../collection-store.ts";
import {
  type DocumentRef,
  discountWrite,
  displaceWrite,
  documentText,
  eraseDocuments,
  findDocuments,
  indexingWrite,
  type Placement,
  type StoredDocument,
} from "../document-store.ts";
import type { IndexedPassage } from "../index/knowledge-index.ts";
import { knowledgeIndexes } from "../index/knowledge-indexes.ts";
import { type Language, languageOf } from "../index/languages.ts";
import { lengthOf } from "../index/lexical-index.ts";
import {
  deletePassages,
  putPassages,
  type StoredPassage,
  statisticsWrite,
  takePassageNumbers,
} from "../index/passage-store.ts";
import { type Audience, audienceOf } from "../knowledge-access.ts";
import { passagesOf } from "./passages.ts";

/** A document with its passages where the index has them, or is to have them. */
interface PlacedDocument {
  readonly document: StoredDocument;
  readonly placement: Placement;
  readonly passages: readonly StoredPassage[];
}

/** A document that is to be indexed for an audience. */
interface WaitingDocument {
  readonly document: StoredDocument;
  readonly audience: Audience;
}

/** Why a document cannot be indexed, to be shown to people. */
class Unreadable extends Error {}

function passagesIn(document: StoredDocument, text: string, first: number): StoredPassage[] {
  return passagesOf(text, document.media_type).map((passage, place) => ({
    passage: first + place,
    document_id: document.id,
    collection_id: document.collection_id,
    place,
    ...passage,
  }));
}

const indexed = ({ title }: StoredDocument, language: Language, passage: StoredPassage): IndexedPassage => ({
  passage: passage.passage,
  collectionId: passage.collection_id,
  language,
  title,
  headings: passage.headings,
  text: passage.text,
});

const indexedPassages = (placed: readonly PlacedDocument[]) =>
  placed.flatMap(({ document, placement, passages }) =>
    passages.map((passage) => indexed(document, placement.language, passage)),
  );

/** Those with the same audience together. */
const byAudience = (placed: readonly PlacedDocument[]) => Map.groupBy(placed, ({ placement }) => placement.audience);

/**
 * Brings the index in line with documents as they are now, whatever happened to them and however often this is asked
 * for: new ones get in, deleted ones get out, those whose collection changed its audience move. Many at once cost less
 * than each on its own.
 */
export async function settleDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<void> {
  for (const group of groupsBySize(await findDocuments(scope, refs))) await settle(scope, group);
}

/** Bytes of text that are worked on at the same time: a small function has to be done with them in good time. */
const bytesAtOnce = 1_500_000;

/** Documents in groups that are worked on together. */
export function groupsBySize(documents: readonly StoredDocument[]): StoredDocument[][] {
  const groups: StoredDocument[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const document of documents) {
    bytes += document.size;
    if (bytes > bytesAtOnce) {
      groups.push([]);
      bytes = document.size;
    }
    groups.at(-1)?.push(document);
  }
  return groups;
}

async function settle(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  const collectionIds = [...new Set(documents.map(({ collection_id }) => collection_id))];
  const collections = await findCollections(scope, collectionIds);
  const audiences = new Map(collections.map((collection) => [collection.id, audienceOf(collection)]));
  const audienceFor = ({ deleted, collection_id }: StoredDocument) =>
    deleted ? undefined : audiences.get(collection_id);

  const gone = documents.filter((document) => audienceFor(document) === undefined);
  const waiting = documents.flatMap((document) => {
    const audience = audienceFor(document);
    return audience !== undefined && document.status === "indexing" ? [{ document, audience }] : [];
  });
  const isElsewhere = ({ document: { placement }, audience }: WaitingDocument) =>
    placement !== undefined && placement.audience !== audience;
  const moving = waiting.filter(isElsewhere).map(({ document }) => document);
  await takeOut(scope, [...gone, ...moving]);
  await eraseDocuments(scope, gone);
  await takeIn(
    scope,
    waiting.map((entry) =>
      isElsewhere(entry) ? { ...entry, document: { ...entry.document, placement: undefined } } : entry,
    ),
  );
}

/** Takes documents out of the index: postings, statistics, passages. */
async function takeOut(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  const placed = await mapConcurrent(
    documents.filter(({ placement }) => placement !== undefined),
    async (document) => {
      const placement = document.placement as Placement;
      const text = (await documentText(scope, document.id)) ?? "";
      return { document, placement, passages: passagesIn(document, text, placement.first) };
    },
    4,
  );
  for (const [audience, group] of byAudience(placed)) {
    const passages = indexedPassages(group);
    for (const index of knowledgeIndexes) await index.remove(scope, audience, passages);
    await countAll(
      scope,
      audience,
      group.filter(({ document }) => document.counted),
      -1,
      (document) => discountWrite(scope, document),
    );
    await mapConcurrent(group, ({ placement }) => deletePassages(scope, audience, placement));
    await mapConcurrent(group, ({ document }) => tenantTable(scope).write(displaceWrite(scope, document)).catch(ignoreGone));
  }
}

/** Indexes documents; one that cannot be read is marked as failed and does not hold up the others. */
async function takeIn(scope: TenantScope, waiting: readonly WaitingDocument[]): Promise<void> {
  const placed = await mapConcurrent(waiting, (entry) => place(scope, entry), 4);
  for (const [audience, group] of byAudience(placed.filter((entry) => entry !== null))) {
    await putPassages(
      scope,
      audience,
      group.flatMap(({ passages }) => passages),
    );
    const passages = indexedPassages(group);
    for (const index of knowledgeIndexes) await index.add(scope, audience, passages);
    await countAll(scope, audience, group, 1, (document, { count }) =>
      indexingWrite(scope, document, { status: "ready", chunk_count: count, counted: true }),
    );
  }
}

/** Cuts a document into passages and gives them their numbers; null where there is nothing to index after all. */
async function place(scope: TenantScope, { document, audience }: WaitingDocument): Promise<PlacedDocument | null> {
  try {
    const text = (await documentText(scope, document.id)) ?? "";
    const passages = passagesIn(document, text, 0);
    if (passages.length === 0) throw new Unreadable("There is no text in it that a reader would see.");
    const language = languageOf(passages.map((passage) => passage.text).join(" "));
    const placement = document.placement ?? {
      audience,
      first: await takePassageNumbers(scope, audience, passages.length),
      count: passages.length,
      length: passages.reduce((length, passage) => length + lengthOf(indexed(document, language, passage)), 0),
      language,
    };
    await tenantTable(scope).write(indexingWrite(scope, document, { placement }));
    const numbered = passages.map((passage) => ({ ...passage, passage: placement.first + passage.place }));
    return { document, placement, passages: numbered };
  } catch (error) {
    if (isRetryableError(error)) throw error;
    if (error instanceof ServiceError && error.code === "not_found") return null;
    if (!(error instanceof Unreadable)) log.error("document cannot be indexed", { document_id: document.id, error });
    const reason = error instanceof Unreadable ? error.message : "It could not be read.";
    await tenantTable(scope)
      .write(indexingWrite(scope, document, { status: "failed", error: reason }))
      .catch(ignoreGone);
    return null;
  }
}

/** A document that goes while it is being indexed is taken out by the change that follows. */
function ignoreGone(error: unknown): void {
  const gone = error instanceof ServiceError || (error instanceof Error && error.name === "ConditionFailed");
  if (!gone) throw error;
}

function inGroups<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
    entries.slice(index * size, (index + 1) * size),
  );
}

/** Transactions hold 100 writes; one of them is the statistics'. */
const countedAtOnce = 50;

/** Marks documents as counted (or not) and changes the statistics in the same transaction, so that each counts once. */
async function countAll(
  scope: TenantScope,
  audience: Audience,
  placed: readonly PlacedDocument[],
  sign: 1 | -1,
  markWrite: (document: StoredDocument, placement: Placement) => Write,
): Promise<void> {
  const table = tenantTable(scope);
  const statistics = (language: Language, group: readonly PlacedDocument[]) =>
    statisticsWrite(scope, audience, language, {
      passages: sign * group.reduce((sum, { placement }) => sum + placement.count, 0),
      length: sign * group.reduce((sum, { placement }) => sum + placement.length, 0),
    });
  const transaction = (group: readonly PlacedDocument[]) => [
    ...group.map(({ document, placement }) => markWrite(document, placement)),
    statistics(group[0]?.placement.language ?? "en", group),
  ];
  const oneByOne = (group: readonly PlacedDocument[]) =>
    mapConcurrent(group, (entry) => table.transact(transaction([entry])).catch(ignoreMarked), 4);
  const ofOneLanguage = [...Map.groupBy(placed, ({ placement }) => placement.language).values()];
  for (const group of ofOneLanguage.flatMap((documents) => inGroups(documents, countedAtOnce))) {
    try {
      await table.transact(transaction(group));
    } catch (error) {
      ignoreMarked(error);
      await oneByOne(group);
    }
  }
}

/** The mark of one of the documents was there, or the document was gone. */
function ignoreMarked(error: unknown): void {
  if (!(error instanceof TransactionFailed)) ignoreGone(error);
}
