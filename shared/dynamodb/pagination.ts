import { ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import type { Item } from "./table.ts";
import { type IndexName, indexes, tableKeys } from "./table-layout.ts";
import { type TenantScope, tenantTable } from "./tenant-scope.ts";

/** Page of a list. `next` is the cursor of the next page, or null at the end of the list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** Converts the entries of a page and keeps its position, so that the page can become a reply. */
export const mapPage = <Entry, Result>(
  { entries, next }: Page<Entry>,
  convert: (entry: Entry) => Result,
): Page<Result> => ({ entries: entries.map(convert), next });

/** Identity of a list, which its cursors are bound to: its name, its filters and the common prefix of its positions. */
export interface CursorBinding {
  readonly list: string;
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly prefix?: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

const SIGNATURE_LENGTH = 16;

/**
 * Returns the part of a cursor that binds it to its list. The hash needs no secret: a forged cursor gives access only to
 * items that the caller may list anyway.
 */
function signCursor(scope: TenantScope, binding: CursorBinding, position: string): string {
  const text = JSON.stringify([scope.tenantId, binding.list, binding.filters ?? {}, position]);
  return sha256(text).slice(0, SIGNATURE_LENGTH);
}

/** Returns an opaque cursor for the page after a position. */
export function toCursor(scope: TenantScope, binding: CursorBinding, position: string): string {
  return Buffer.from(signCursor(scope, binding, position) + position).toString("base64url");
}

/**
 * Returns the position in a cursor, or undefined without a cursor.
 * @throws ServiceError `invalid_cursor` if the cursor was not issued for this list
 */
export function parseCursor(
  scope: TenantScope,
  binding: CursorBinding,
  cursor: string | undefined,
): string | undefined {
  if (cursor === undefined) return undefined;
  const position = Buffer.from(cursor, "base64url").toString().slice(SIGNATURE_LENGTH);
  // Only a forged cursor has a position without the prefix; it would read items outside the list.
  if (toCursor(scope, binding, position) !== cursor || !position.startsWith(binding.prefix ?? "")) {
    throw new ServiceError("invalid_cursor", "The cursor belongs to another list. Start again without a cursor.");
  }
  return position;
}

/** List in the table: a range of keys, and a filter for the items in this range that belong to the list. */
export interface ListQuery extends CursorBinding {
  readonly index?: IndexName;
  readonly pk: string;
  readonly descending?: boolean;
  readonly consistent?: boolean;
  /** Attributes to read; all by default. */
  readonly attributes?: readonly string[];
  /** Returns true for items of the list. Other items are read, too, but do not count toward the page limit. */
  readonly where?: (item: Item) => boolean | Promise<boolean>;
  /** Returns true for the first item after the end of the list; reading stops there. */
  readonly isPastEnd?: (item: Item) => boolean;
  /** Approximate maximum number of items to read for one page. A page can then be short or empty although more items follow. */
  readonly maxScannedItems?: number;
}

/** Number of items that each query reads if a list has a filter. */
const FILTER_BATCH_SIZE = 200;

/** Size limit of the items of a page: a Lambda response is limited to 6 MB, including the escapes of quotes. */
const MAX_PAGE_BYTES = 3_000_000;

/** Returns the first items whose total size fits into one response, at least one. */
export function limitToResponseSize(items: readonly Item[]): readonly Item[] {
  let bytes = 0;
  const firstExcess = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return firstExcess === -1 ? items : items.slice(0, firstExcess);
}

/**
 * Items in list order. The generator returns the position at which the next page starts, or undefined at the end of the list.
 */
export type ItemSource = AsyncGenerator<Item, string | undefined>;

const getSortKey = (item: Item | undefined, index?: IndexName) =>
  String(item?.[index ? indexes[index].sk : tableKeys.sk]);

/**
 * Yields the items of a list after a position. Stops early once it has read `maxScannedItems`, and then returns the position
 * reached.
 */
async function* scanList(
  scope: TenantScope,
  list: ListQuery,
  startAfter: string | undefined,
  batchSize: number,
): ItemSource {
  const { index, pk, prefix, descending, consistent, attributes, where, isPastEnd } = list;
  const { maxScannedItems = Number.POSITIVE_INFINITY } = list;
  let after = startAfter;
  for (let scannedItems = 0; scannedItems < maxScannedItems; ) {
    const items = await tenantTable(scope).query({
      index,
      pk,
      prefix,
      after,
      limit: batchSize,
      descending,
      consistent,
      attributes,
    });
    for (const item of items) {
      if (isPastEnd?.(item)) return undefined;
      if ((await where?.(item)) ?? true) yield item;
    }
    if (items.length < batchSize) return undefined;
    after = getSortKey(items.at(-1), index);
    scannedItems += items.length;
  }
  return after;
}

/**
 * Takes one page from a source of items. Reads one item beyond the limit to find out whether another page follows.
 * @param toPosition returns the position after which the source continues
 */
export async function takePage(
  scope: TenantScope,
  binding: CursorBinding,
  source: ItemSource,
  limit: number,
  toPosition: (item: Item) => string,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let resumePosition: string | undefined;
  while (items.length <= limit) {
    const result = await source.next();
    if (result.done) {
      resumePosition = result.value;
      break;
    }
    items.push(result.value);
  }
  const entries = limitToResponseSize(items.slice(0, limit));
  const lastEntry = entries.at(-1);
  const position = lastEntry && items.length > entries.length ? toPosition(lastEntry) : resumePosition;
  return { entries, next: position === undefined ? null : toCursor(scope, binding, position) };
}

/**
 * Returns a page of a list in sort-key order. Pages of very large items are shorter than the limit. Sort keys must be
 * unique within the list.
 * @throws ServiceError `invalid_cursor`
 */
export async function listPage(
  scope: TenantScope,
  list: ListQuery,
  { limit, cursor }: PageRequest,
): Promise<Page<Item>> {
  const batchSize = list.where ? Math.max(FILTER_BATCH_SIZE, limit + 1) : limit + 1;
  const items = scanList(scope, list, parseCursor(scope, list, cursor), batchSize);
  return takePage(scope, list, items, limit, (item) => getSortKey(item, list.index));
}
