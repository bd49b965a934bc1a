import {
  type CursorBinding,
  type ListQuery,
  limitToResponseSize,
  listPage,
  type Page,
  type PageRequest,
  parseCursor,
  toCursor,
} from "./pagination.ts";
import type { Item } from "./table.ts";
import { indexes, tableKeys } from "./table-layout.ts";
import type { TenantScope } from "./tenant-scope.ts";

/**
 * A page of several lists as if they were one, newest first. Their sort keys must be ids, which tell the order of making.
 * @throws ServiceError `invalid_cursor`
 */
export async function listMergedPage(
  scope: TenantScope,
  binding: CursorBinding,
  lists: readonly Pick<ListQuery, "index" | "pk" | "where" | "consistent">[],
  { limit, cursor }: PageRequest,
): Promise<Page<Item>> {
  const position = parseCursor(scope, binding, cursor);
  const pages = await Promise.all(
    lists.map((list) => {
      const part = { ...list, list: list.pk, descending: true };
      return listPage(scope, part, { limit, cursor: position && toCursor(scope, part, position) });
    }),
  );
  const idOf = (item: Item, list: number) => String(item[lists[list]?.index ? indexes.gsi1.sk : tableKeys.sk]);
  const parts = pages.map(({ entries, next }, list) => ({
    entries: entries.map((item) => ({ id: idOf(item, list), item })),
    next,
  }));
  // What a list has beyond its part, which is short where its items are very long, comes before what is older than that.
  const known = parts.map(({ entries, next }) => (next === null ? "" : (entries.at(-1)?.id ?? "")));
  const found = parts
    .flatMap(({ entries }) => entries)
    .filter(({ id }) => known.every((oldest) => id >= oldest))
    .sort((one, other) => (one.id < other.id ? 1 : -1));
  const entries = limitToResponseSize(found.slice(0, limit).map(({ item }) => item));
  const last = found[entries.length - 1];
  const more = found.length > entries.length || parts.some(({ next }) => next !== null);
  return { entries, next: more && last ? toCursor(scope, binding, last.id) : null };
}
