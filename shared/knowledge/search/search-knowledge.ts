import { MAX_BATCH_GET_KEYS } from "../../dynamodb/table-layout.ts";
import { findCollections } from "../collection-store.ts";
import { findDocuments, type StoredDocument } from "../document-store.ts";
import type { RankedPassage } from "../index/knowledge-index.ts";
import { knowledgeIndexes } from "../index/knowledge-indexes.ts";
import type { Language } from "../index/languages.ts";
import { findPassages, type StoredPassage, toLocation } from "../index/passage-store.ts";
import { extractTerms } from "../index/terms.ts";
import { canRead, type KnowledgeReader } from "../knowledge-access.ts";
import { extractSnippet } from "./extract-snippet.ts";
import { reciprocalRankFusion } from "./reciprocal-rank-fusion.ts";

/** Search in the knowledge collections. */
export interface KnowledgeQuery {
  readonly text: string;
  /** Restricts the search to these collections. Collections that the reader may not read return nothing. */
  readonly collectionIds?: readonly string[];
  /** Restricts the search to documents with all of these metadata values. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Maximum number of results, at most 100. */
  readonly limit: number;
}

/** Search result. */
export interface KnowledgeHit {
  readonly document_id: string;
  /** Document id and position of the passage in the document: `<id>.<position>`. */
  readonly chunk_id: string;
  /** Position of the passage in the document, from 0. */
  readonly passage: number;
  /** Page on which the passage starts, from 1; null in documents without pages. */
  readonly page: number | null;
  /** Headings above the passage, outermost first; null if there are none. */
  readonly heading: string | null;
  readonly collection_id: string;
  readonly title: string;
  readonly uri: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Verbatim part of `text` that matches best. */
  readonly snippet: string;
  /** Higher is better. Only comparable within one response. */
  readonly score: number;
  /** Complete passage. */
  readonly text: string;
}

/** Maximum number of ranked passages that a search with filters considers. */
const MAX_CANDIDATES = 600;

/**
 * Returns the documents that the reader may read now. The index is updated asynchronously, so it can contain passages of
 * deleted documents and of collections whose visibility has changed.
 */
async function findReadableDocuments(
  reader: KnowledgeReader,
  passages: readonly StoredPassage[],
): Promise<ReadonlyMap<string, StoredDocument>> {
  const documents = new Map(
    passages.map(({ document_id, collection_id }) => [document_id, { id: document_id, collection_id }]),
  );
  const collectionIds = [...new Set(passages.map(({ collection_id }) => collection_id))];
  if (documents.size === 0) return new Map();
  const [foundDocuments, collections] = await Promise.all([
    findDocuments(reader, [...documents.values()]),
    findCollections(reader, collectionIds),
  ]);
  const readableIds = new Set(collections.filter((collection) => canRead(reader, collection)).map(({ id }) => id));
  return new Map(
    foundDocuments
      .filter(({ deleted, placement, collection_id }) => !deleted && placement && readableIds.has(collection_id))
      .map((document) => [document.id, document]),
  );
}

/** Checks whether a passage belongs to the current placement of its document, and not to one that is added or removed. */
function isCurrent({ audience, passage }: RankedPassage, { placement }: StoredDocument): boolean {
  return (
    placement !== undefined &&
    placement.audience === audience &&
    passage >= placement.first &&
    passage < placement.first + placement.count
  );
}

function hasMetadata(document: StoredDocument, required: Readonly<Record<string, string>>): boolean {
  return Object.entries(required).every(
    ([name, value]) => Object.hasOwn(document.metadata, name) && document.metadata[name] === value,
  );
}

/** Search result without its snippet, with the language that the snippet requires. */
interface HitCandidate {
  readonly hit: Omit<KnowledgeHit, "snippet">;
  readonly language: Language;
}

/** Returns the ranked passages that match the filters of the query, in order. */
async function filterHits(
  reader: KnowledgeReader,
  { collectionIds, metadata = {} }: KnowledgeQuery,
  ranked: readonly RankedPassage[],
): Promise<HitCandidate[]> {
  const passages = new Map(
    (await findPassages(reader, ranked))
      .filter(({ collection_id }) => collectionIds?.includes(collection_id) ?? true)
      .map((passage) => [`${passage.audience}#${passage.passage}`, passage]),
  );
  const documents = await findReadableDocuments(reader, [...passages.values()]);
  return ranked.flatMap((entry) => {
    const passage = passages.get(entry.key);
    const document = passage && documents.get(passage.document_id);
    if (!document || !isCurrent(entry, document) || !hasMetadata(document, metadata)) return [];
    const { title, uri, collection_id } = document;
    const hit = {
      document_id: document.id,
      chunk_id: `${document.id}.${passage.place}`,
      ...toLocation(passage),
      collection_id,
      title,
      uri,
      metadata: document.metadata,
      score: Math.round(entry.score * 10_000) / 10_000,
      text: passage.text,
    };
    return [{ hit, language: document.placement?.language ?? "en" }];
  });
}

/**
 * Searches the collections that the reader may read. Other collections affect neither the ranking nor its statistics. The
 * number of reads is bounded, regardless of the number of documents.
 */
export async function searchKnowledge(reader: KnowledgeReader, query: KnowledgeQuery): Promise<KnowledgeHit[]> {
  const { text, collectionIds, limit } = query;
  if (collectionIds?.length === 0) return [];
  const rankings = await Promise.all(
    knowledgeIndexes.map((index) => index.rank(reader, { text, collectionIds, depth: MAX_CANDIDATES })),
  );
  const ranked = reciprocalRankFusion(rankings);
  const hits: HitCandidate[] = [];
  const hasFilters = query.metadata !== undefined || collectionIds !== undefined;
  // Read a few more than the limit, because some passages may belong to deleted documents.
  let batchSize = hasFilters ? MAX_BATCH_GET_KEYS : Math.min(MAX_BATCH_GET_KEYS, limit + 5);
  for (
    let start = 0;
    start < ranked.length && hits.length < limit;
    start += batchSize, batchSize = MAX_BATCH_GET_KEYS
  ) {
    hits.push(...(await filterHits(reader, query, ranked.slice(start, start + batchSize))));
  }
  return hits.slice(0, limit).map(({ hit, language }) => {
    const weights = new Map(extractTerms(text, language).map((term) => [term, term.length]));
    return { ...hit, snippet: extractSnippet(hit.text, weights, language) };
  });
}
