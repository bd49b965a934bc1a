import { setTimeout as sleep } from "node:timers/promises";
import { isRetryableError } from "../dynamodb/is-retryable-error.ts";

interface PendingEntry<Entry> {
  readonly entry: Entry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Time to wait for further entries before a batch starts. */
const BATCH_WINDOW_MS = 10;

/**
 * Combines calls within 10 ms into batches, which run one after another. If a batch fails with an error that a retry cannot
 * fix, its entries run one by one, so that only those with an error of their own fail.
 */
export function microBatch<Entry>(work: (entries: readonly Entry[]) => Promise<void>): (entry: Entry) => Promise<void> {
  let pending: PendingEntry<Entry>[] = [];
  let previousBatch: Promise<void> = Promise.resolve();

  async function processBatch(batch: readonly PendingEntry<Entry>[]): Promise<void> {
    try {
      await work(batch.map(({ entry }) => entry));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && !isRetryableError(error)) for (const single of batch) await processBatch([single]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function startNextBatch(): Promise<void> {
    await Promise.all([previousBatch, sleep(BATCH_WINDOW_MS)]);
    const batch = pending;
    pending = [];
    await processBatch(batch);
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      pending.push({ entry, resolve, reject });
      if (pending.length === 1) previousBatch = startNextBatch();
    });
}
