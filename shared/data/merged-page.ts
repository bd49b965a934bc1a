import {
  type CursorBinding,
  cursorAt,
  type ListQuery,
  listPage,
  type Page,
  type PageRequest,
  positionOf,
} from "./pages.ts";
import type { Item } from "./table.ts";
import { indexes, tableKeys } from "./table-layout.ts";
import type { TenantScope } from "./tenant-scope.ts";

/**
 * A page of several lists as if they were one, newest first. Their sort keys must be ids, which tell the order of making.
 * @throws ServiceError `invalid_cursor`
 */
export async function mergedPage(
  scope: TenantScope,
  binding: CursorBinding,
  lists: readonly Pick<ListQuery, "index" | "pk" | "where" | "consistent">[],
  { limit, cursor }: PageRequest,
): Promise<Page<Item>> {
  const position = positionOf(scope, binding, cursor);
  const pages = await Promise.all(
    lists.map((list) => {
      const part = { ...list, list: list.pk, descending: true };
      return listPage(scope, part, { limit, cursor: position && cursorAt(scope, part, position) });
    }),
  );
  const idOf = (item: Item, list: number) => String(item[lists[list]?.index ? indexes.gsi1.sk : tableKeys.sk]);
  const found = pages
    .flatMap(({ entries }, list) => entries.map((item) => ({ id: idOf(item, list), item })))
    .sort((one, other) => (one.id < other.id ? 1 : -1));
  const more = found.length > limit || pages.some(({ next }) => next !== null);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { entries: page.map(({ item }) => item), next: more && last ? cursorAt(scope, binding, last.id) : null };
}
