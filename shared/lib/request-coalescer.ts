interface Waiting<Entry, Result> {
  readonly entry: Entry;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How calls are told apart, how many groups of a kind may be under way, and how large they are at most. */
interface TogetherOptions<Entry> {
  /** Only calls of one kind are made together. */
  readonly kindOf?: (entry: Entry) => string;
  readonly lanes?: number;
  readonly atMost?: number;
}

/**
 * Lets calls that come while others are under way be made together, as soon as one of those is done. Whoever is alone
 * waits for nothing; and as a group begins after all of its calls came, each sees what was there when it came.
 * @param work gives the results in the order of the entries
 */
export function together<Entry, Result>(
  work: (entries: readonly Entry[]) => Promise<readonly Result[]>,
  { kindOf = () => "", lanes = 1, atMost = 100 }: TogetherOptions<Entry> = {},
): (entry: Entry) => Promise<Result> {
  const kinds = new Map<string, { underWay: number; waiting: Waiting<Entry, Result>[] }>();

  async function run(kind: string, group: readonly Waiting<Entry, Result>[]): Promise<void> {
    try {
      const results = await work(group.map(({ entry }) => entry));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    const state = kinds.get(kind);
    if (!state) return;
    const next = state.waiting.splice(0, atMost);
    if (next.length > 0) void run(kind, next);
    else if (--state.underWay === 0) kinds.delete(kind);
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      const kind = kindOf(entry);
      const state = kinds.get(kind) ?? { underWay: 0, waiting: [] };
      kinds.set(kind, state);
      const waiting = { entry, resolve, reject };
      if (state.underWay >= lanes) state.waiting.push(waiting);
      else {
        state.underWay++;
        void run(kind, [waiting]);
      }
    });
}
