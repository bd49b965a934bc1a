import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import type { Segment } from "../../files/segments/segments.ts";
import { now } from "../../lib/clock.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { deleteSources, getSegments } from "../document-source-store.ts";
import { pendingWrite, retiredWrite } from "../document-state.ts";
import type { StoredDocument } from "../document-store.ts";
import type { IndexedPassage } from "../index/knowledge-index.ts";
import { deletePassages, putPassages, type StoredPassage } from "../index/passage-store.ts";
import { knowledgeIndexes } from "../knowledge-indexes.ts";
import type { Placement } from "../placement.ts";
import { embedNewPassages, type PassageVector } from "../vectors/embed-passages.ts";
import { ignoreGone } from "./ignore-gone.ts";
import { splitSegments } from "./split-into-passages.ts";

/** Document with a placement and the passages of that placement. */
export interface PlacedDocument {
  readonly document: StoredDocument;
  readonly placement: Placement;
  readonly passages: readonly EmbeddedPassage[];
}

/** Passage with the binary code of its vector; without an embedding provider, there is no code. */
interface EmbeddedPassage extends StoredPassage {
  readonly code?: Uint8Array;
}

/**
 * Number of passages of one document that are indexed at a time, about 180 KB of text. Larger documents are indexed in
 * steps.
 */
const MAX_STEP_PASSAGES = 100;

/** Time after which another invocation continues a large document, triggered by the write of the last step. */
const MAX_STEPS_DURATION_MS = 20_000;

/** Share of indexing in the progress of a document. The rest is text extraction. */
const INDEXING_SHARE = 0.5;

/** Splits a document into passages with consecutive numbers from `first`. */
export function toStoredPassages(document: StoredDocument, segments: readonly Segment[], first = 0): StoredPassage[] {
  return splitSegments(segments).map((passage, place) => ({
    passage: first + place,
    document_id: document.id,
    collection_id: document.collection_id,
    place,
    ...passage,
  }));
}

/** Converts a passage to the form in which it is indexed, with the title and language of its version. */
export const toIndexedPassage = (
  { title, language }: Pick<Placement, "title" | "language">,
  passage: EmbeddedPassage,
): IndexedPassage => ({
  passage: passage.passage,
  collectionId: passage.collection_id,
  language,
  title,
  headings: passage.headings,
  text: passage.text,
  code: passage.code,
});

/** Converts the passages of several documents and groups them by audience. */
function toIndexedPassages(documents: readonly PlacedDocument[]): [Placement["audience"], IndexedPassage[]][] {
  return [...Map.groupBy(documents, ({ placement }) => placement.audience)].map(([audience, group]) => [
    audience,
    group.flatMap(({ placement, passages }) => passages.map((passage) => toIndexedPassage(placement, passage))),
  ]);
}

/** Adds vectors to the passages of documents. Without an embedding provider, the passages stay unchanged. */
async function withVectors(scope: TenantScope, documents: readonly PlacedDocument[]): Promise<PlacedDocument[]> {
  const vectors = new Map<StoredPassage, PassageVector>();
  for (const [audience, group] of Map.groupBy(documents, ({ placement }) => placement.audience)) {
    const entries = group.flatMap(({ placement, passages }) =>
      passages.map((passage) => ({ title: placement.title, passage })),
    );
    const embedded = await embedNewPassages(scope, audience, entries);
    for (const [index, vector] of (embedded ?? []).entries()) {
      const entry = entries[index];
      if (entry) vectors.set(entry.passage, vector);
    }
  }
  return documents.map((document) => ({
    ...document,
    passages: document.passages.map((passage) => ({ ...passage, ...vectors.get(passage) })),
  }));
}

/**
 * Stores the passages of documents and adds them to the indexes. Idempotent.
 * @returns the documents with all passages in the indexes; a large one may need another invocation
 */
export async function addPassages(scope: TenantScope, documents: readonly PlacedDocument[]): Promise<PlacedDocument[]> {
  const [large, others] = partition(documents, ({ passages }) => passages.length > MAX_STEP_PASSAGES);
  const small = await withVectors(scope, others);
  for (const [audience, group] of Map.groupBy(small, ({ placement }) => placement.audience)) {
    await putPassages(
      scope,
      audience,
      group.flatMap(({ passages }) => passages),
    );
  }
  for (const [audience, passages] of toIndexedPassages(small)) {
    for (const index of knowledgeIndexes) await index.add(scope, audience, passages);
  }
  const complete = [...small];
  for (const document of large) if (await addInSteps(scope, document)) complete.push(document);
  return complete;
}

/**
 * Adds a large document in steps. Each step is recorded, so that a later invocation continues after it.
 * @returns false if time ran out; the write of the last step then triggers the processor again
 */
async function addInSteps(scope: TenantScope, { document, placement, passages }: PlacedDocument): Promise<boolean> {
  const deadlineMs = now() + MAX_STEPS_DURATION_MS;
  for (let start = placement.indexed; start < passages.length; start += MAX_STEP_PASSAGES) {
    const slice = { document, placement, passages: passages.slice(start, start + MAX_STEP_PASSAGES) };
    const [{ passages: step } = slice] = await withVectors(scope, [slice]);
    await putPassages(scope, placement.audience, step);
    const indexed = step.map((passage) => toIndexedPassage(placement, passage));
    for (const index of knowledgeIndexes) await index.add(scope, placement.audience, indexed);
    const done = start + step.length;
    const progress = Math.round(100 * (1 - INDEXING_SHARE * (1 - done / passages.length))) / 100;
    await tenantTable(scope).write(
      pendingWrite(scope, document, { next_placement: { ...placement, indexed: done }, progress }),
    );
    if (done < passages.length && now() > deadlineMs) return false;
  }
  return true;
}

/**
 * Removes the retired placements of documents from the indexes and deletes their passages. Postings are removed first,
 * because they are computed from the passages. Idempotent.
 */
export async function removePassages(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  const retired = await mapConcurrent(
    documents.flatMap((document) => (document.retired ?? []).map((placement) => ({ document, placement }))),
    async ({ document, placement }) => ({
      document,
      placement,
      passages: toStoredPassages(document, await getSegments(scope, document, placement.version), placement.first),
    }),
    4,
  );
  const [large, small] = partition(retired, ({ passages }) => passages.length > MAX_STEP_PASSAGES);
  for (const [audience, passages] of toIndexedPassages(small)) {
    for (const index of knowledgeIndexes) await index.remove(scope, audience, passages);
  }
  for (const { placement, passages } of large) {
    for (let start = 0; start < passages.length; start += MAX_STEP_PASSAGES) {
      const step = passages.slice(start, start + MAX_STEP_PASSAGES);
      const indexed = step.map((passage) => toIndexedPassage(placement, passage));
      for (const index of knowledgeIndexes) await index.remove(scope, placement.audience, indexed);
    }
  }
  await mapConcurrent(retired, ({ placement }) => deletePassages(scope, placement.audience, placement));
  await mapConcurrent(documents, (document) => finishRemoval(scope, document));
}

/**
 * Deletes the sources of removed versions that no other placement uses, and records that the retired placements are
 * removed.
 */
async function finishRemoval(scope: TenantScope, document: StoredDocument): Promise<void> {
  const { retired = [], placement, staged_placement: staged, next_placement: next, version } = document;
  const used = new Set([version, placement?.version, staged?.version, next?.version]);
  const unused = retired.map((removed) => removed.version).filter((candidate) => !used.has(candidate));
  if (unused.length > 0) await deleteSources(scope, document.id, unused);
  await tenantTable(scope)
    .write(retiredWrite(scope, document, []))
    .catch(ignoreGone);
}

function partition<Entry>(entries: readonly Entry[], isFirst: (entry: Entry) => boolean): [Entry[], Entry[]] {
  return [entries.filter(isFirst), entries.filter((entry) => !isFirst(entry))];
}
