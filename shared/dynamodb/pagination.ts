import { ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import type { Item } from "./table.ts";
import { type IndexName, indexes, tableKeys } from "./table-layout.ts";
import { type TenantScope, tenantTable } from "./tenant-scope.ts";

/** A part of a list, and where the next one begins: null at the end. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** What a cursor is bound to: the list's name, its filters, and what all its positions begin with. */
export interface CursorBinding {
  readonly list: string;
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly prefix?: string;
}

/** Which part of a list is asked for. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

/** A cursor shows no key and fits no other list; a forged one could only reach what its forger may list anyway. */
function seal(scope: TenantScope, binding: CursorBinding, position: string): string {
  const bound = JSON.stringify([scope.tenantId, binding.list, binding.filters ?? {}, position]);
  return sha256(bound).slice(0, 16);
}

/** The opaque cursor for a position in a list. */
export function toCursor(scope: TenantScope, binding: CursorBinding, position: string): string {
  return Buffer.from(seal(scope, binding, position) + position).toString("base64url");
}

/**
 * The position that a cursor of this very list stands for; undefined without one.
 * @throws ServiceError `invalid_cursor` for any other text
 */
export function parseCursor(
  scope: TenantScope,
  binding: CursorBinding,
  cursor: string | undefined,
): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString();
  const position = text.slice(16);
  // A position beyond the prefix, which only a forged cursor has, would reach what lies beside the list.
  if (toCursor(scope, binding, position) !== cursor || !position.startsWith(binding.prefix ?? "")) {
    throw new ServiceError("invalid_cursor", "This cursor belongs to another list. Start again without one.");
  }
  return position;
}

/** A list in the table: where its items are, what its cursors are bound to, and which of the items belong to it. */
export interface ListQuery extends CursorBinding {
  readonly index?: IndexName;
  readonly pk: string;
  readonly descending?: boolean;
  readonly consistent?: boolean;
  /** Only items that this is true of; the others cost reads but no place on the page. */
  readonly where?: (item: Item) => boolean;
  /** Whether neither this item nor any beyond it belongs to the list. */
  readonly isPastEnd?: (item: Item) => boolean;
  /** About how many items are looked at for one page at most; a page may then be short, or empty, and yet go on. */
  readonly maxScannedItems?: number;
}

/** Items read at once while a filtered list is filled. */
const filterBatch = 200;

/** Bytes of items on one page at most: a function's answer has 6 MB, its escaped quotes included. */
const heaviest = 3_000_000;

/** As many items as one answer can carry, one at least. */
export function limitToResponseSize(items: readonly Item[]): readonly Item[] {
  let weight = 0;
  const tooMuch = items.findIndex((item, index) => {
    weight += Buffer.byteLength(JSON.stringify(item));
    return index > 0 && weight > heaviest;
  });
  return tooMuch === -1 ? items : items.slice(0, tooMuch);
}

/**
 * A page of a list in sort-key order, shorter than was asked for where its items are very long. Sort keys must be unique within the list.
 * @throws ServiceError `invalid_cursor`
 */
export async function listPage(
  scope: TenantScope,
  list: ListQuery,
  { limit, cursor }: PageRequest,
): Promise<Page<Item>> {
  const {
    index,
    pk,
    prefix,
    descending,
    consistent,
    where,
    isPastEnd,
    maxScannedItems = Number.POSITIVE_INFINITY,
  } = list;
  const sk = index ? indexes[index].sk : tableKeys.sk;
  const batch = where ? Math.max(filterBatch, limit + 1) : limit + 1;
  const found: Item[] = [];
  let after = parseCursor(scope, list, cursor);
  let goesOnAt: string | undefined;
  for (let looked = 0; ; ) {
    const items = await tenantTable(scope).query({ index, pk, prefix, after, limit: batch, descending, consistent });
    const end = isPastEnd ? items.findIndex(isPastEnd) : -1;
    const within = end === -1 ? items : items.slice(0, end);
    found.push(...(where ? within.filter(where) : within));
    if (items.length < batch || end !== -1 || found.length > limit) break;
    after = String(items.at(-1)?.[sk]);
    looked += items.length;
    if (looked >= maxScannedItems) {
      goesOnAt = after;
      break;
    }
  }
  const entries = limitToResponseSize(found.slice(0, limit));
  const position = found.length > entries.length ? String(entries.at(-1)?.[sk]) : goesOnAt;
  return { entries, next: position === undefined ? null : toCursor(scope, list, position) };
}
