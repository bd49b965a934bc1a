const DEFAULT_CONCURRENCY = 16;

/** Calls `work` for each entry, at most `concurrency` at a time, and returns the results in order. Fails fast. */
export async function mapConcurrent<Entry, Result>(
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
  concurrency = DEFAULT_CONCURRENCY,
): Promise<Result[]> {
  const results = new Array<Result>(entries.length);
  const remaining = entries.entries();
  let hasFailed = false;
  const runWorker = async () => {
    for (const [index, entry] of remaining) {
      if (hasFailed) return;
      results[index] = await work(entry).catch((error) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, entries.length) }, runWorker));
  return results;
}
