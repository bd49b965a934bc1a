/** Calls under way at the same time, by default. */
const usual = 16;

/** Does something for each entry, several at a time, and gives the results in order; the first failure ends it. */
export async function sideBySide<Entry, Result>(
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
  lanes = usual,
): Promise<Result[]> {
  const results = new Array<Result>(entries.length);
  const waiting = entries.entries();
  let failed = false;
  const lane = async () => {
    for (const [index, entry] of waiting) {
      if (failed) return;
      results[index] = await work(entry).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, entries.length) }, lane));
  return results;
}
