import type { ItemPage } from "./define-item.ts";
import { itemPages } from "./item-pages.ts";

type UnionToIntersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

type Pages = (typeof itemPages)[number];

/** Merges a field of all pages that have it. */
const merge = <Field extends "keys" | "prefixes" | "index">(
  field: Field,
): UnionToIntersection<Extract<Pages, Record<Field, unknown>>[Field]> =>
  Object.assign({}, ...(itemPages as readonly ItemPage[]).map((page) => page[field]));

/**
 * Primary keys of all items. `#` separates the parts of partition keys: tenant ids, user ids (`shared/api/user-ids.ts`) and UUIDs
 * cannot contain it.
 */
export const keys = merge("keys");

/** Prefixes of sort keys. Items of several types share a partition, and stores query one type by its prefix. */
export const keyPrefixes = merge("prefixes");

/** Keys of all items in the global secondary index. */
export const indexKeys = merge("index");
