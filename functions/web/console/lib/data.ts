import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

/** State of data that a view loads: its value, its error, or that it is loading. */
export interface Resource<Value> {
  readonly value: Value | null;
  readonly error: unknown;
  readonly isLoading: boolean;
}

interface Entry {
  readonly state: Signal<Resource<unknown>>;
  load: () => Promise<unknown>;
  loadedAt: number;
  /** Number of requests so far, of which only the latest one counts. */
  version: number;
  /** True until the answer to the latest request is there. */
  isRequested: boolean;
}

/** Maximum age in ms of cached data that is shown without loading it again. */
const FRESH_MS = 15_000;

const entries = new Map<string, Entry>();

async function reload(entry: Entry): Promise<void> {
  const version = ++entry.version;
  entry.isRequested = true;
  entry.state.value = { ...entry.state.value, isLoading: true };
  try {
    const value = await entry.load();
    if (version !== entry.version) return;
    entry.loadedAt = Date.now();
    entry.state.value = { value, error: null, isLoading: false };
  } catch (error) {
    if (version === entry.version) entry.state.value = { ...entry.state.value, error, isLoading: false };
  }
  if (version === entry.version) entry.isRequested = false;
}

/**
 * Loads data and shares it between views by key. Cached data is shown at once and refreshed when it is older than 15 seconds.
 * @param key null to load nothing
 */
export function useResource<Value>(
  key: string | null,
  load: () => Promise<Value>,
): Resource<Value> & { reload: () => void } {
  const entry = useMemo(() => {
    const existing = entries.get(key ?? "");
    if (existing) return existing;
    const created: Entry = {
      state: signal<Resource<unknown>>({ value: null, error: null, isLoading: key !== null }),
      load,
      loadedAt: 0,
      version: 0,
      isRequested: false,
    };
    if (key !== null) entries.set(key, created);
    return created;
  }, [key]);
  entry.load = load;
  useEffect(() => {
    const isFresh = entry.isRequested || Date.now() - entry.loadedAt <= FRESH_MS;
    if (key !== null && !isFresh) void reload(entry);
  }, [key, entry]);
  // Reading the signal makes the component render again when the data changes.
  return { ...(entry.state.value as Resource<Value>), reload: () => void reload(entry) };
}

/** Loads all data again whose key starts with `prefix`, because it was changed. */
export function invalidate(prefix: string): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(prefix)) continue;
    entry.loadedAt = 0;
    void reload(entry);
  }
}

/** Loads all data again that a view has loaded. */
export const reloadResources = (): void => invalidate("");

/** Changes cached data without a request, when the result of a change is known. Does nothing if the data is not loaded. */
export function updateResource<Value>(key: string, update: (value: Value) => Value): void {
  const entry = entries.get(key);
  if (!entry || entry.state.value.value === null) return;
  entry.state.value = { ...entry.state.value, value: update(entry.state.value.value as Value) };
}

/** Changes all cached data whose key starts with `prefix`, as `updateResource` does. */
export function updateResources<Value>(prefix: string, update: (value: Value, key: string) => Value): void {
  for (const key of entries.keys()) {
    if (key.startsWith(prefix)) updateResource<Value>(key, (value) => update(value, key));
  }
}

/** Adds data to the cache that a reply to a change contains, so that it is not requested. */
export function addResource(key: string, value: unknown): void {
  const state = signal<Resource<unknown>>({ value, error: null, isLoading: false });
  // The view that shows the data tells how it is loaded again.
  entries.set(key, { state, load: async () => value, loadedAt: Date.now(), version: 0, isRequested: false });
}

/** Removes cached data whose key starts with `prefix`, because its object was deleted: `invalidate` does not request it again. */
export function forget(prefix: string): void {
  for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
}

/**
 * Interval at which what others change is loaded again, with one request each: activity of other tabs and devices, alerts,
 * approvals and incidents.
 */
export const LOOK_INTERVAL_MS = 60_000;

/**
 * Calls `look` at an interval while the page is visible, and when it becomes visible.
 * @param maxIntervalMs interval up to which the interval doubles with each call; without it, it stays the same
 * @returns a function that ends this
 */
export function repeatWhileVisible(look: () => void, intervalMs: number, maxIntervalMs = intervalMs): () => void {
  const lookIfVisible = () => document.visibilityState === "visible" && look();
  let wait = intervalMs;
  const repeat = () => {
    lookIfVisible();
    wait = Math.min(2 * wait, maxIntervalMs);
    timer = setTimeout(repeat, wait);
  };
  let timer = setTimeout(repeat, wait);
  document.addEventListener("visibilitychange", lookIfVisible);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", lookIfVisible);
  };
}

/** Maximum number of concurrent requests of a bulk action. */
const MAX_CONCURRENT = 4;

/**
 * Sends a request for each entry of a bulk action, four at a time.
 * @throws the first error, after all requests have ended
 */
export async function sendForEach<Entry>(
  list: readonly Entry[],
  send: (entry: Entry) => Promise<unknown>,
): Promise<void> {
  const results: PromiseSettledResult<unknown>[] = [];
  for (let start = 0; start < list.length; start += MAX_CONCURRENT) {
    results.push(...(await Promise.allSettled(list.slice(start, start + MAX_CONCURRENT).map(send))));
  }
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/** Removes all cached data. Called when another user signs in. */
export function clearResources(): void {
  entries.clear();
}
