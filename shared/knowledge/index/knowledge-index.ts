import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { Language } from "../../lib/language/languages.ts";
import type { Audience, KnowledgeReader } from "../knowledge-access.ts";
import type { IndexStatistics } from "./passage-store.ts";

/** Passage to add to an index. */
export interface IndexedPassage {
  /** Number of the passage within its audience. */
  readonly passage: number;
  readonly collectionId: string;
  readonly language: Language;
  readonly title: string;
  readonly headings: string;
  readonly text: string;
  /** Binary code of the passage's vector; absent without an embedding provider. */
  readonly code?: Uint8Array | undefined;
}

export interface IndexQuery {
  readonly text: string;
  /** Restricts the results to these collections. */
  readonly collectionIds?: readonly string[];
  /** Maximum number of results. */
  readonly depth: number;
  /** Statistics of the reader's audiences; read if they are absent. */
  readonly statistics?: ReadonlyMap<Audience, IndexStatistics>;
  /** Maximum number of blocks to read after the first of each posting list. Ignored if `collectionIds` is set. */
  readonly maxFurtherBlocks?: number;
  /** Maximum number of blocks to read after the first of each posting list, also if `collectionIds` is set. */
  readonly maxBlocks?: number;
}

export interface RankedPassage {
  /** Unique within the tenant. */
  readonly key: string;
  readonly audience: Audience;
  readonly passage: number;
  readonly score: number;
}

/** Result of a search in one index. */
export interface Ranking {
  /** Matching passages, best first. */
  readonly passages: readonly RankedPassage[];
  /** Significance of each word of the query, by normalized word; empty for an index that does not compare words. */
  readonly wordWeights: ReadonlyMap<string, number>;
  /** Upper bound of the scores for this query. */
  readonly maxScore: number;
}

/**
 * Search index. Each audience has its own index, so that passages that a reader may not read affect neither the results nor
 * the statistics. A search merges the rankings of several indexes.
 */
export interface KnowledgeIndex {
  /** Returns matching passages. May contain a few passages of other collections than requested. */
  rank(reader: KnowledgeReader, query: IndexQuery): Promise<Ranking>;
  /** Adds passages. Idempotent. */
  add(scope: TenantScope, audience: Audience, passages: readonly IndexedPassage[]): Promise<void>;
  /** Removes passages, which must equal those that were added. Idempotent. */
  remove(scope: TenantScope, audience: Audience, passages: readonly IndexedPassage[]): Promise<void>;
}
