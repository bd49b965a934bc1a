const DEFAULT_CONCURRENCY = 16;

/**
 * Calls `work` for each entry, at most `concurrency` at a time, and returns the results in order. After an error, it starts no
 * further call and waits for those in progress, so that nothing is written after the caller has seen the error.
 * @throws the first error of a call
 */
export async function mapConcurrent<Entry, Result>(
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
  concurrency = DEFAULT_CONCURRENCY,
): Promise<Result[]> {
  const results = new Array<Result>(entries.length);
  const remaining = entries.entries();
  const errors: unknown[] = [];
  const runWorker = async () => {
    for (const [index, entry] of remaining) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(entry);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, entries.length) }, runWorker));
  if (errors.length > 0) throw errors[0];
  return results;
}
