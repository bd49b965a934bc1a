import type { RankedPassage, Ranking } from "../index/knowledge-index.ts";

/** Passage with its scores in both rankings. */
export interface FusedPassage extends RankedPassage {
  /** Score by words and by meaning; undefined where the passage is missing. */
  readonly scores: readonly [words: number | undefined, meaning: number | undefined];
  /** Exact similarity of the passage as a whole; absent if it was not compared. */
  readonly similarity?: number;
}

/** Combines the scores of a passage. Depends on the rankings, because neither score has a scale of its own. */
export type Fusion = (words: number | undefined, meaning: number | undefined) => number;

/** Nearest passages whose average similarity counts as unrelated. */
const BASELINE_PASSAGES = 100;

/** Weight of the meaning, relative to words of which the best passage contains all. */
const MEANING_WEIGHT = 0.6;

/**
 * Share of the highest possible score by words from which the words are fully trusted: that of a passage which contains each
 * word of the query once.
 */
const FULL_COVERAGE = 0.5;

/**
 * Returns the fusion of two rankings: the BM25 score as a share of the best one, plus the similarity as a share of the
 * distance from unrelated passages to the same meaning. Scores keep what ranks lose: a passage that matches far better than
 * all others wins against one that is average in both rankings. The words count less if even the best passage contains few
 * of them, which is the case for a question in other words. The baseline makes models comparable, because those of some
 * models are never far apart.
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
 * Merges two rankings. Without similarities the scores by words are kept. Without words the scores are those of the fusion
 * all the same, because the passages that are read get their exact similarity on that scale.
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
