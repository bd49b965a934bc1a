interface PendingRequest<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface CoalesceOptions<Request> {
  /** Returns the group of a request; only requests of one group share a batch. */
  readonly groupBy?: (request: Request) => string;
  /** Maximum number of batches in flight in each group. */
  readonly maxConcurrentBatches?: number;
  readonly maxBatchSize?: number;
  /**
   * True to start a batch in a microtask, so that calls in the same tick of the event loop share it. By default, the first
   * call starts its batch at once.
   */
  readonly joinsConcurrentCalls?: boolean;
}

/**
 * Coalesces requests made while a batch is in flight into the next batch. A single request is never delayed. A batch
 * starts after all of its requests were made, so each request sees every write that preceded it.
 * @param work returns the results in the order of the requests
 */
export function coalesceRequests<Request, Result>(
  work: (requests: readonly Request[]) => Promise<readonly Result[]>,
  {
    groupBy = () => "",
    maxConcurrentBatches = 1,
    maxBatchSize = 100,
    joinsConcurrentCalls = false,
  }: CoalesceOptions<Request> = {},
): (request: Request) => Promise<Result> {
  const groups = new Map<string, { batchesInFlight: number; pending: PendingRequest<Request, Result>[] }>();

  async function run(group: string, batch: readonly PendingRequest<Request, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ request }) => request));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    runNext(group);
  }

  function runNext(group: string): void {
    const state = groups.get(group);
    if (!state) return;
    const next = state.pending.splice(0, maxBatchSize);
    if (next.length > 0) void run(group, next);
    else if (--state.batchesInFlight === 0) groups.delete(group);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const group = groupBy(request);
      const state = groups.get(group) ?? { batchesInFlight: 0, pending: [] };
      groups.set(group, state);
      const pending = { request, resolve, reject };
      if (state.batchesInFlight >= maxConcurrentBatches) {
        state.pending.push(pending);
      } else {
        state.batchesInFlight++;
        if (joinsConcurrentCalls) {
          state.pending.push(pending);
          queueMicrotask(() => runNext(group));
        } else void run(group, [pending]);
      }
    });
}
