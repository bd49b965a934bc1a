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
  version: number;
}

/** Maximum age in ms of cached data that is shown without loading it again. */
const FRESH_MS = 15_000;

const entries = new Map<string, Entry>();

async function reload(entry: Entry): Promise<void> {
  const version = ++entry.version;
  entry.state.value = { ...entry.state.value, isLoading: true };
  try {
    const value = await entry.load();
    if (version !== entry.version) return;
    entry.loadedAt = Date.now();
    entry.state.value = { value, error: null, isLoading: false };
  } catch (error) {
    if (version === entry.version) entry.state.value = { ...entry.state.value, error, isLoading: false };
  }
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
    };
    if (key !== null) entries.set(key, created);
    return created;
  }, [key]);
  entry.load = load;
  useEffect(() => {
    if (key !== null && Date.now() - entry.loadedAt > FRESH_MS) void reload(entry);
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

/** Changes cached data without a request, when the result of a change is known. Does nothing if the data is not loaded. */
export function updateResource<Value>(key: string, update: (value: Value) => Value): void {
  const entry = entries.get(key);
  if (!entry || entry.state.value.value === null) return;
  entry.state.value = { ...entry.state.value, value: update(entry.state.value.value as Value) };
}

/** Removes cached data whose key starts with `prefix`, because its object was deleted: `invalidate` does not request it again. */
export function forget(prefix: string): void {
  for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
}

/** Removes all cached data. Called when another user signs in. */
export function clearResources(): void {
  entries.clear();
}
