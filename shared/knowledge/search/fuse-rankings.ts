import type { RankedPassage } from "../index/knowledge-index.ts";

/** Passage with its score in each ranking. */
export interface FusedPassage extends RankedPassage {
  /** Score by position of the ranking; undefined where the passage is missing. */
  readonly scores: readonly (number | undefined)[];
  /** Exact similarity of the meaning; absent if it was not compared. */
  readonly similarity?: number;
}

/** Damping of the top ranks; 60 is the value of the paper. */
export const DAMPING = 60;

/**
 * Merges rankings by the sum of reciprocal ranks. If only one ranking contains passages, its scores are kept.
 * @see Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (SIGIR 2009)
 */
export function fuseRankings(rankings: readonly (readonly RankedPassage[])[]): FusedPassage[] {
  const filled = rankings.filter(({ length }) => length > 0);
  const fused = new Map<string, { entry: RankedPassage; score: number; scores: (number | undefined)[] }>();
  for (const [index, ranking] of rankings.entries()) {
    for (const [rank, entry] of ranking.entries()) {
      const known = fused.get(entry.key) ?? { entry, score: 0, scores: rankings.map(() => undefined) };
      known.score += filled.length > 1 ? 1 / (DAMPING + rank + 1) : entry.score;
      known.scores[index] = entry.score;
      fused.set(entry.key, known);
    }
  }
  return [...fused.values()]
    .map(({ entry, score, scores }) => ({ ...entry, score, scores }))
    .sort((a, b) => b.score - a.score);
}
