import { type Resource, updateResource, useResource } from "./data.ts";
import { showError } from "./toast.ts";

/** Query parameters that select a page of a list. */
interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Loaded entries of a list, and the cursor for more; null if all are loaded. */
export interface Entries<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** List that is loaded page by page. */
export interface PagedList<Entry> extends Resource<Entries<Entry>> {
  readonly entries: readonly Entry[];
  readonly reload: () => void;
  /** Loads the next page; null if all entries are loaded. */
  readonly more: (() => Promise<void>) | null;
}

/** Maximum number of requests, for up to 100 entries each, with which a list is loaded. */
const MAX_REQUESTS = 10;

/**
 * Loads a list page by page. When it is loaded again after a change, it keeps the number of shown entries.
 * @param entriesOf returns the entries in a response
 */
export function usePages<Reply extends { readonly next_cursor: string | null }, Entry>(
  key: string,
  load: (page: PageQuery) => Promise<Reply>,
  entriesOf: (reply: Reply) => readonly Entry[],
  pageSize = 50,
): PagedList<Entry> {
  const loadFrom = async (cursor: string | null, count: number): Promise<Entries<Entry>> => {
    const entries: Entry[] = [];
    let next = cursor;
    // A filtered page can be empty although more follow.
    for (let request = 0; request < MAX_REQUESTS && entries.length < count; request++) {
      const limit = Math.min(count - entries.length, 100);
      const reply: Reply = await load({ limit, ...(next && { cursor: next }) });
      entries.push(...entriesOf(reply));
      next = reply.next_cursor;
      if (!next) break;
    }
    return { entries, next };
  };
  const list: Resource<Entries<Entry>> & { reload: () => void } = useResource(key, () =>
    loadFrom(null, Math.max(pageSize, list.value?.entries.length ?? 0)),
  );
  const next = list.value?.next ?? null;
  const more = async () => {
    try {
      const page = await loadFrom(next, pageSize);
      updateResource<Entries<Entry>>(key, (loaded) =>
        // Another request has added the page, or has loaded the list again.
        loaded.next === next ? { entries: [...loaded.entries, ...page.entries], next: page.next } : loaded,
      );
    } catch (error) {
      showError(error);
    }
  };
  return { ...list, entries: list.value?.entries ?? [], more: next ? more : null };
}
