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
 * Returns a page of several lists merged into one, newest first. The sort keys must be UUIDv7 ids, which sort by creation
 * time. The items of a page stay below the size limit of a response.
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
    lists.map(async (query) => {
      const list = { ...query, list: query.pk, descending: true };
      const sortKey = query.index ? indexes[query.index].sk : tableKeys.sk;
      const { entries, next } = await listPage(scope, list, {
        limit,
        cursor: position && toCursor(scope, list, position),
      });
      return { entries: entries.map((item) => ({ id: String(item[sortKey]), item })), hasMore: next !== null };
    }),
  );
  // The page of one list can end early because of its size limit. Older entries of the other lists must wait until that
  // list was read further.
  const pageEnds = pages.map(({ entries, hasMore }) => (hasMore ? (entries.at(-1)?.id ?? "") : ""));
  const merged = pages
    .flatMap(({ entries }) => entries)
    .filter(({ id }) => pageEnds.every((pageEnd) => id >= pageEnd))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const entries = limitToResponseSize(merged.slice(0, limit).map(({ item }) => item));
  const lastEntry = merged[entries.length - 1];
  const hasMore = merged.length > entries.length || pages.some((page) => page.hasMore);
  return { entries, next: hasMore && lastEntry ? toCursor(scope, binding, lastEntry.id) : null };
}
