import type { UserPrincipal } from "../auth/principal.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { notFound } from "../lib/errors.ts";
import { SourceReader } from "./readable-items.ts";
import { findTestItem, readTestItem, type StoredTestItem, testItemsOf } from "./test-item-store.ts";
import { authorizeTestSet } from "./test-set-store.ts";

/** Lists the items of a set that the user may read. @throws ServiceError `invalid_cursor` */
export async function listReadableItems(
  principal: UserPrincipal,
  setId: string,
  request: PageRequest,
): Promise<Page<StoredTestItem>> {
  const reader = new SourceReader(principal);
  const list = { list: "test-items", filters: { setId }, ...testItemsOf(principal, setId) };
  const page = await listPage(principal, { ...list, where: (item) => reader.canRead(readTestItem(item)) }, request);
  const { entries, next } = mapPage(page, readTestItem);
  return { entries: await Promise.all(entries.map((item) => reader.withReadablePassages(item))), next };
}

/**
 * Returns an item of a set that the user can change.
 * @throws ServiceError `not_found` if there is no such item or the user may not read its source; `forbidden`
 */
export async function getReadableItem(principal: UserPrincipal, setId: string, id: string): Promise<StoredTestItem> {
  const set = await authorizeTestSet(principal, setId);
  const item = await findTestItem(principal, set.id, id);
  const reader = new SourceReader(principal);
  if (!item || !(await reader.canRead(item))) throw notFound();
  return item;
}
