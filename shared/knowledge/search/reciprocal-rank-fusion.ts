/** Search result of one index. Scores are only comparable within one ranking. */
export interface Ranked {
  readonly key: string;
  readonly score: number;
}

/** Damping of the top ranks; 60 is the value of the paper. */
const DAMPING = 60;

/**
 * Merges rankings by the sum of reciprocal ranks. Returns a single ranking unchanged.
 * @see Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (SIGIR 2009)
 */
export function reciprocalRankFusion<Entry extends Ranked>(rankings: readonly (readonly Entry[])[]): Entry[] {
  const [only] = rankings;
  if (only && rankings.length === 1) return [...only];
  const fused = new Map<string, Entry>();
  for (const ranking of rankings) {
    for (const [rank, entry] of ranking.entries()) {
      const score = (fused.get(entry.key)?.score ?? 0) + 1 / (DAMPING + rank + 1);
      fused.set(entry.key, { ...entry, score });
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
