import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "../dynamodb/retryable-errors.ts";

interface Waiting<Entry> {
  readonly entry: Entry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How long entries wait for others to come along, in milliseconds. */
const gathering = 10;

/**
 * Lets work on entries that come in about the same time be done together, one group after the other. Should a group
 * fail for good, its entries are tried one by one, so that only those fail that cannot be done.
 */
export function microBatch<Entry>(work: (entries: readonly Entry[]) => Promise<void>): (entry: Entry) => Promise<void> {
  let waiting: Waiting<Entry>[] = [];
  let previous: Promise<void> = Promise.resolve();

  async function attempt(group: readonly Waiting<Entry>[]): Promise<void> {
    try {
      await work(group.map(({ entry }) => entry));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length > 1 && !isTransient(error)) for (const one of group) await attempt([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  async function next(): Promise<void> {
    await Promise.all([previous, sleep(gathering)]);
    const group = waiting;
    waiting = [];
    await attempt(group);
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (waiting.length === 1) previous = next();
    });
}
