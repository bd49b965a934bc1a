import { MAX_BATCH_GET_KEYS } from "../../dynamodb/table-layout.ts";
import { type EmbeddingSpace, EmbeddingUnavailable, findEmbeddingSpace } from "../../embeddings/embedding-provider.ts";
import { log } from "../../lib/log.ts";
import type { StoredDocument } from "../document-store.ts";
import type { RankedPassage } from "../index/knowledge-index.ts";
import { lexicalIndex } from "../index/lexical-index.ts";
import { findPassages } from "../index/passage-store.ts";
import type { Audience, KnowledgeReader } from "../knowledge-access.ts";
import { ReaderAccess } from "../readers/reader-access.ts";
import { readAudiences } from "../readers/reader-audiences.ts";
import type { AudienceState } from "../vectors/audience-states.ts";
import { embedQuery, rankByMeaning } from "../vectors/vector-index.ts";
import { compareVectors } from "./compare-vectors.ts";
import { createFusion, type FusedPassage, fuseRankings } from "./fuse-rankings.ts";
import { type Candidate, type KnowledgeHit, toHit } from "./knowledge-hit.ts";
import { getMaxFurtherBlocks } from "./max-further-blocks.ts";
import { findReadableDocuments, isCurrent, matchesFilters } from "./readable-documents.ts";
import { MIN_RELEVANCE, QueryMatcher } from "./relevance.ts";
import { canRerank, RERANKED_PASSAGES, rerankPassages } from "./rerank-passages.ts";

/** Query for passages in the knowledge collections. */
interface KnowledgeQuery {
  readonly text: string;
  /** Vector of the text, if the caller has it. */
  readonly vector?: Float32Array | undefined;
  /** Earlier questions that the text continues, latest first. Their words count less. */
  readonly context?: readonly string[] | undefined;
  /**
   * Ids of the collections to search; all readable ones if absent. Collections that the reader may not read have no
   * results.
   */
  readonly collectionIds?: readonly string[];
  /** Documents to search instead of collections. The reader must be allowed to read them. */
  readonly documents?: readonly StoredDocument[];
  /** Metadata values that a document must have, all of them. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Start of the period in which the latest version of a document was added, in ISO 8601 and UTC. */
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
  /** Maximum number of results, at most 100. Chats: `MAX_HITS_PER_SEARCH` in `chat/retrieval/search-sources.ts`. */
  readonly limit: number;
  /** Called if the embedding provider failed, so that the search used words only. */
  readonly onDegraded?: () => void;
  /** True to rerank the best passages with the reranking provider, if one is configured. */
  readonly rerank?: boolean;
  /** Called if the reranking provider failed. The results then have the order of the search. */
  readonly onRerankFailed?: () => void;
  /**
   * Minimum relevance of the best result, by default `MIN_RELEVANCE`. Others need `RELATED_SHARE` of it, because a question
   * that the knowledge answers often has its answer in a passage with other words.
   */
  readonly minRelevance?: number;
}

/** Minimum relevance of further results, relative to that of the best one. */
const RELATED_SHARE = 0.5;

/** Number of best passages whose vectors are compared exactly. Reading one costs half a read unit. */
const COMPARED_PASSAGES = 14;

/**
 * Minimum number of candidates in a further batch, which is read if some of the best belong to deleted documents or do
 * not match the filters.
 */
const MIN_FURTHER_CANDIDATES = 10;

/** Maximum number of ranked passages that a search considers. */
const MAX_CANDIDATES = 600;

type PassageOfAudience = Awaited<ReturnType<typeof findPassages>>[number];

const toPassageKey = ({ audience, passage }: PassageOfAudience) => `${audience}#${passage}`;

/**
 * Returns the ranked passages that the reader may read and that match the filters of the query, in order.
 * @param known passages that were already read
 */
async function readCandidates(
  reader: KnowledgeReader,
  query: KnowledgeQuery,
  ranked: readonly FusedPassage[],
  known: readonly PassageOfAudience[],
): Promise<Candidate[]> {
  const knownKeys = new Set(known.map(toPassageKey));
  const unknown = ranked.filter(({ key }) => !knownKeys.has(key));
  const passages = new Map(
    [...known, ...(await findPassages(reader, unknown))]
      .filter(({ collection_id }) => query.collectionIds?.includes(collection_id) ?? true)
      .map((passage) => [toPassageKey(passage), passage]),
  );
  const requested = ranked.flatMap(({ key }) => passages.get(key) ?? []);
  const documents = await findReadableDocuments(reader, requested);
  return ranked.flatMap((entry) => {
    const passage = passages.get(entry.key);
    const document = passage && documents.get(passage.document_id);
    if (!document || !isCurrent(entry, document) || !matchesFilters(document, query)) return [];
    return [{ ranked: entry, passage, document }];
  });
}

/**
 * Searches the collections that the reader may read. Other collections affect neither the ranking nor its statistics.
 * The number of reads is limited, regardless of the number of documents.
 */
export async function searchKnowledge(reader: KnowledgeReader, query: KnowledgeQuery): Promise<KnowledgeHit[]> {
  const { text, context = [], documents, minRelevance = MIN_RELEVANCE } = query;
  const collectionIds = documents?.map(({ collection_id }) => collection_id) ?? query.collectionIds;
  const isReranked = query.rerank === true && canRerank();
  const limit = isReranked ? Math.max(query.limit, RERANKED_PASSAGES) : query.limit;
  if (collectionIds?.length === 0) return [];
  const access = ReaderAccess.of(reader);
  const space = findEmbeddingSpace();
  const known = query.vector && Promise.resolve(query.vector);
  const vector = space && (known ?? embedQuery(space, [...context.toReversed(), text].join("\n")));
  // The rejection is handled where the vector is used.
  vector?.catch(() => {});
  const states = await readAudiences(access, { withVectors: space !== null });
  const wordSearch = {
    statistics: new Map([...states].map(([audience, state]) => [audience, state.statistics])),
    ...(space && { maxFurtherBlocks: getMaxFurtherBlocks(states, space.id) }),
  };
  const [byWords, byMeaning] = await Promise.all([
    lexicalIndex.rank(access, { text, context, collectionIds, depth: MAX_CANDIDATES, ...wordSearch }),
    vector && space ? rankOrDegrade(reader, { ...query, collectionIds }, space, vector, states) : [],
  ]);
  const fusion = createFusion(byWords, byMeaning);
  const fused = fuseRankings(byWords.passages, byMeaning, fusion).filter(
    (entry) => documents?.some((document) => isCurrent(entry, document)) ?? true,
  );
  const queryVector = byMeaning.length > 0 ? await vector : null;
  const compared = queryVector ? await findPassages(reader, fused.slice(0, COMPARED_PASSAGES)) : [];
  const ranked = space && queryVector ? compareVectors(fused, compared, queryVector, space.id, fusion) : fused;
  const candidates: Candidate[] = [];
  const { metadata, updatedAfter, updatedBefore } = query;
  const hasFilters = [metadata, collectionIds, updatedAfter, updatedBefore].some((filter) => filter !== undefined);
  // Filters drop most of the candidates; without them, only passages of deleted documents are missing from a batch.
  let batchSize = hasFilters ? MAX_BATCH_GET_KEYS : limit;
  for (let start = 0; start < ranked.length && candidates.length < limit; ) {
    candidates.push(...(await readCandidates(access, query, ranked.slice(start, start + batchSize), compared)));
    start += batchSize;
    batchSize = Math.min(MAX_BATCH_GET_KEYS, Math.max(MIN_FURTHER_CANDIDATES, 2 * batchSize));
  }
  const reranked = isReranked ? await rerankPassages(query.text, candidates.slice(0, limit)) : null;
  if (isReranked && !reranked) query.onRerankFailed?.();
  const matcher = new QueryMatcher([text, ...context], byWords.words);
  const hits = (reranked ?? candidates).map((candidate) => toHit(text, matcher, candidate));
  if (!hits.some(({ relevance }) => relevance >= minRelevance)) return [];
  return hits.filter(({ relevance }) => relevance >= minRelevance * RELATED_SHARE).slice(0, query.limit);
}

/** Ranks passages by meaning. If the embedding provider fails, returns an empty ranking and calls `onDegraded`. */
async function rankOrDegrade(
  reader: KnowledgeReader,
  { collectionIds, onDegraded }: KnowledgeQuery,
  space: EmbeddingSpace,
  vector: Promise<Float32Array>,
  states: ReadonlyMap<Audience, AudienceState>,
): Promise<RankedPassage[]> {
  try {
    return await rankByMeaning(reader, { collectionIds, depth: MAX_CANDIDATES }, space, vector, states);
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable)) throw error;
    log.error("search by meaning failed", { error });
    onDegraded?.();
    return [];
  }
}
