import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { Language } from "../../lib/language/languages.ts";
import type { Audience } from "../knowledge-access.ts";
import type { IndexStatistics } from "./passage-store.ts";

/** Passage in the form in which it is added to or removed from an index. */
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
  /** Texts that the text continues, latest first. Their words count half, a quarter and so on. */
  readonly context?: readonly string[] | undefined;
  /** Ids of the collections to which the results are restricted; all readable ones if absent. */
  readonly collectionIds?: readonly string[];
  /** Maximum number of results. */
  readonly depth: number;
  /** Statistics of the audiences to search. */
  readonly statistics: ReadonlyMap<Audience, IndexStatistics>;
  /**
   * Maximum number of blocks to read in total after the first block of each posting list. Not used if `collectionIds`
   * is set.
   */
  readonly maxFurtherBlocks?: number;
  /** Like `maxFurtherBlocks`, but also used if `collectionIds` is set. */
  readonly maxBlocks?: number;
}

export interface RankedPassage {
  /** Key that is unique within the tenant: audience and number. */
  readonly key: string;
  readonly audience: Audience;
  readonly passage: number;
  readonly score: number;
}

/** Statistics by which the words of a query are weighed. */
export interface WordStatistics {
  /** Significance of each normalized word of the query; empty for an index that does not compare words. */
  readonly weights: ReadonlyMap<string, number>;
  /** Average number of terms per passage. */
  readonly averageLength: number;
}

/** Result of a search in one index. */
export interface Ranking {
  /** Matching passages, best first. */
  readonly passages: readonly RankedPassage[];
  readonly words: WordStatistics;
  /** Upper bound of the scores for this query. */
  readonly maxScore: number;
}

/**
 * Search index. Each audience has its own index, so that passages that a reader may not read affect neither results nor
 * statistics. A search merges the rankings of several indexes.
 */
export interface KnowledgeIndex {
  /** Adds passages. Adding a passage again changes nothing. */
  add(scope: TenantScope, audience: Audience, passages: readonly IndexedPassage[]): Promise<void>;
  /**
   * Removes passages. They must have the same content as when they were added, because their postings are computed from
   * it. Idempotent.
   */
  remove(scope: TenantScope, audience: Audience, passages: readonly IndexedPassage[]): Promise<void>;
}
