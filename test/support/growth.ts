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

/**
 * Returns the factor by which the CPU time grows between a text and one of eight times its length: about 8 for linear
 * work, 64 for quadratic work. Work below 20 ms counts as linear, because the clock is not finer.
 */
export async function growthFactor(
  run: (text: string) => unknown,
  createText: (length: number) => string,
  length: number,
) {
  const long = createText(8 * length);
  const longMs = await cpuTimeMs(() => run(long), 1);
  if (longMs < 20) return 1;
  const short = createText(length);
  await run(short);
  return Math.min(longMs, await cpuTimeMs(() => run(long))) / Math.max(1, await cpuTimeMs(() => run(short)));
}

/** Factor between those of linear and quadratic work. */
export const MAX_GROWTH = 24;
