/**
 * Yields the events of several generators in the order in which they arrive. Returns the results in the order of the
 * generators.
 */
export async function* mergeEvents<Event, Result>(
  generators: readonly AsyncGenerator<Event, Result>[],
): AsyncGenerator<Event, Result[]> {
  const results = new Array<Result>(generators.length);
  const next = async (index: number) => ({
    index,
    step: await (generators[index] as AsyncGenerator<Event, Result>).next(),
  });
  const pending = new Map(generators.map((_, index) => [index, next(index)]));
  while (pending.size > 0) {
    const { index, step } = await Promise.race(pending.values());
    if (step.done) {
      results[index] = step.value;
      pending.delete(index);
    } else {
      pending.set(index, next(index));
      yield step.value;
    }
  }
  return results;
}

/**
 * Yields the values that an asynchronous function reports while it runs, and returns its result. Rethrows its error
 * after the last value.
 */
export async function* reportedWork<Report, Result>(
  start: (report: (value: Report) => void) => Promise<Result>,
): AsyncGenerator<Report, Result> {
  const reports: Report[] = [];
  let wake = () => {};
  const work = start((value) => {
    reports.push(value);
    wake();
  });
  const finished = work.then(
    () => true,
    () => true,
  );
  for (;;) {
    const changed = new Promise<false>((resolve) => {
      wake = () => resolve(false);
    });
    for (let report = reports.shift(); report !== undefined; report = reports.shift()) yield report;
    if (await Promise.race([finished, changed])) break;
  }
  yield* reports;
  return work;
}
