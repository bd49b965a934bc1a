/** Something an index found, and how well it fits: comparable within one ranking only. */
export interface Ranked {
  readonly key: string;
  readonly score: number;
}

/** How much the first places of a ranking stand out; the value its inventors found to work everywhere. */
const damping = 60;

/**
 * Several rankings of the same things as one, by reciprocal ranks; a single ranking stays as it is.
 * @see Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (SIGIR 2009)
 */
export function fuse<Entry extends Ranked>(rankings: readonly (readonly Entry[])[]): Entry[] {
  const [only] = rankings;
  if (only && rankings.length === 1) return [...only];
  const fused = new Map<string, Entry>();
  for (const ranking of rankings) {
    for (const [place, entry] of ranking.entries()) {
      const score = (fused.get(entry.key)?.score ?? 0) + 1 / (damping + place + 1);
      fused.set(entry.key, { ...entry, score });
    }
  }
  return [...fused.values()].sort((one, other) => other.score - one.score);
}
