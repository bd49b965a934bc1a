/** Number of resamples of a bootstrap interval. */
const RESAMPLES = 2_000;

const CONFIDENCE = 0.95;

/** ScoreComparison of two columns by the items that both have answered. */
export interface ScoreComparison {
  readonly better: number;
  readonly worse: number;
  readonly same: number;
  /** Mean of the differences of scores: candidate minus baseline. */
  readonly difference: number;
  /** Interval that contains the true difference with a probability of 95 %. */
  readonly interval: readonly [number, number];
  /** Probability of a sign test that so uneven counts are chance. */
  readonly p_value: number;
}

/** Returns a generator of random numbers that is the same for each comparison (mulberry32), so that results can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the percentile interval of the mean over samples with replacement. */
function bootstrapInterval(differences: Float64Array): readonly [number, number] {
  const { length } = differences;
  const random = seededRandom(length);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (let draw = 0; draw < length; draw++) sum += differences[Math.floor(random() * length)] ?? 0;
    means[resample] = sum / length;
  }
  means.sort();
  const at = (share: number) => means[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))] ?? 0;
  return [at((1 - CONFIDENCE) / 2), at((1 + CONFIDENCE) / 2)];
}

/** Returns the two-sided probability of a sign test: of counts that are at least as uneven, by chance. */
export function signTest(better: number, worse: number): number {
  const count = better + worse;
  // Logarithms, because 2 ** -count is 0 above 1,074.
  let logTerm = -count * Math.LN2;
  let sum = 0;
  for (let successes = 0; successes <= Math.min(better, worse); successes++) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(count - successes) - Math.log(successes + 1);
  }
  return Math.min(1, 2 * sum);
}

/**
 * Compares the scores of two columns, paired by item.
 * @returns null if no item has both
 */
export function compareScores(
  pairs: readonly (readonly [baseline: number, candidate: number])[],
): ScoreComparison | null {
  if (pairs.length === 0) return null;
  const differences = Float64Array.from(pairs, ([baseline, candidate]) => candidate - baseline);
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  return {
    ...{ better, worse, same: differences.length - better - worse },
    difference: mean(differences),
    interval: bootstrapInterval(differences),
    p_value: signTest(better, worse),
  };
}
