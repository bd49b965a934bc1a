/** Number of measurements of which the fastest counts. */
const ROUNDS = 3;

/**
 * Returns the CPU time of an action in ms, the least of several rounds: other programs on the machine do not count, except
 * for what they displace from its caches.
 */
export async function cpuTimeMs(run: () => unknown, rounds = ROUNDS): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startedAt = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(startedAt);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** Number of short texts that are as long as a long one. */
const TEXT_RATIO = 8;

/** Number of measurements, of which the least growth counts: superlinear work shows in each of them. */
const ATTEMPTS = 5;

/**
 * Returns the factor by which the CPU time grows between a text and one of eight times its length: about 8 for linear
 * work, 64 for quadratic work. Both are measured in turns and for the same number of characters, so that a busy machine slows
 * both down. Work below `minMs` counts as linear, because the clock is not finer.
 */
export async function growthFactor(
  run: (text: string) => unknown,
  createText: (length: number) => string,
  length: number,
  minMs = 20,
) {
  const long = createText(TEXT_RATIO * length);
  if ((await cpuTimeMs(() => run(long), 1)) < minMs) return 1;
  const short = createText(length);
  const runShort = async () => {
    for (let count = 0; count < TEXT_RATIO; count++) await run(short);
  };
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= MAX_GROWTH; attempt++) {
    const shortMs = await cpuTimeMs(runShort, 1);
    const longMs = await cpuTimeMs(() => run(long), 1);
    least = Math.min(least, (TEXT_RATIO * longMs) / Math.max(1, shortMs));
  }
  return least;
}

/** Factor by which the CPU time may grow when a text gets eight times as long: 2.5 for each doubling. Quadratic work takes 64. */
export const MAX_GROWTH = 2.5 ** 3;
