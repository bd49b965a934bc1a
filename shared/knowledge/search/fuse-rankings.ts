import type { RankedPassage, Ranking } from "../index/knowledge-index.ts";

/** Passage with its scores in both rankings. */
export interface FusedPassage extends RankedPassage {
  /** Scores by words and by meaning; undefined if the passage is not in that ranking. */
  readonly scores: readonly [words: number | undefined, meaning: number | undefined];
  /** Exact similarity of the whole passage; absent if it was not compared. */
  readonly similarity?: number;
}

/**
 * Function that combines the two scores of a passage. Each is scaled relative to its ranking, because neither has a
 * fixed scale.
 */
export type Fusion = (words: number | undefined, meaning: number | undefined) => number;

/** Number of most similar passages whose average similarity is the baseline for unrelated passages. */
const BASELINE_PASSAGES = 100;

/** Weight of the score by meaning. The score by words has a weight of at most 1. */
const MEANING_WEIGHT = 0.6;

/**
 * Fraction of the maximum BM25 score at which the ranking by words gets its full weight. A passage that contains each
 * word of the query once reaches this fraction.
 */
const FULL_COVERAGE = 0.5;

/**
 * Returns the function that combines the scores of two rankings. It adds the BM25 score as a share of the best one, and
 * the similarity as a share of the distance from the baseline to 1. The baseline is needed because some models have
 * high similarities for all texts. Scores are added instead of ranks, so that a passage that matches far better than
 * all others wins over one that is average in both rankings. Words get less weight if even the best passage contains
 * few of them, as for a question in other words.
 * @see Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval (ACM TOIS 2023)
 */
export function createFusion(
  { passages, maxScore }: Pick<Ranking, "passages" | "maxScore">,
  byMeaning: readonly RankedPassage[],
): Fusion {
  const best = passages[0]?.score || 1;
  const trust = Math.min(1, best / (maxScore || 1) / FULL_COVERAGE) ** 2;
  const nearest = byMeaning.slice(0, BASELINE_PASSAGES);
  const sum = nearest.reduce((total, { score }) => total + score, 0);
  const baseline = nearest.length === 0 ? 0 : Math.min(sum / nearest.length, 0.99);
  return (words = 0, meaning = 0) =>
    (trust * words) / best + MEANING_WEIGHT * Math.max(0, (meaning - baseline) / (1 - baseline));
}

/**
 * Merges two rankings, best first. Without a ranking by meaning, the scores by words stay unchanged. Without a ranking
 * by words, scores are still scaled, because passages that are read later get exact similarities on the same scale.
 */
export function fuseRankings(
  byWords: readonly RankedPassage[],
  byMeaning: readonly RankedPassage[],
  fusion: Fusion,
): FusedPassage[] {
  if (byMeaning.length === 0) return byWords.map((entry) => ({ ...entry, scores: [entry.score, undefined] }));
  const words = new Map(byWords.map(({ key, score }) => [key, score]));
  const meanings = new Map(byMeaning.map(({ key, score }) => [key, score]));
  const entries = new Map([...byWords, ...byMeaning].map((entry) => [entry.key, entry]));
  return [...entries.values()]
    .map((entry): FusedPassage => {
      const scores = [words.get(entry.key), meanings.get(entry.key)] as const;
      return { ...entry, score: fusion(...scores), scores };
    })
    .sort((a, b) => b.score - a.score);
}
