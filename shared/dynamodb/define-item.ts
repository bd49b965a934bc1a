import type { AuditRule } from "./audit-rule.ts";
import type { Key } from "./table.ts";

/** Kind of write, for the list of writes that record their actor. */
export type WriteKind = "put" | "update" | "delete";

type KeyBuilder = (...parts: never[]) => Key;

/** Key in the global secondary index. */
interface IndexKey {
  readonly gsi1pk: string;
  readonly gsi1sk: string;
}

/** Properties of one item type, all in one place. Partition keys start with the tenant id, or with `~` if they are read before it is known. */
export interface ItemPage {
  /** Value of the attribute `discriminator`. */
  readonly type: string;
  /** Functions that build the primary keys of items, by the name with which `keys` has them. */
  readonly keys: Readonly<Record<string, KeyBuilder>>;
  /** Prefixes of sort keys, by which one type is queried in a partition of several. */
  readonly prefixes?: Readonly<Record<string, string>>;
  /** Functions that build the keys of items in the index, by the name with which `indexKeys` has them. */
  readonly index?: Readonly<Record<string, (...parts: never[]) => IndexKey>>;
  /**
   * Owners of a partition whose key does not name them: `tenant`, `user` or an item type, with what precedes the id of the owner in
   * the key. The deletion of a tenant empties the partition before it deletes the owner. Partitions of the tenant as a whole, and
   * those that a user has besides the own item, need none.
   */
  readonly partitionOf?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Kinds of writes that record who made them, from which the audit trail is built. None for items that are derived from others,
   * and for lookups, counters and logs. `delete` costs one more write, and is only for audited items.
   */
  readonly recordsActor: readonly WriteKind[];
  /** Stream processors that receive changes; none for types that change often and that no rule handles. */
  readonly processors: readonly ("cascade" | "index-documents")[];
  /** Audit rule; false if changes are not recorded. */
  readonly audit: AuditRule | false;
  /**
   * With what the item is erased: with the data of the user who owns it, with the item that it belongs to, with its tenant, or by
   * its TTL.
   */
  readonly erasedWith: "owner" | "parent" | "tenant" | "expiry";
}

/** Defines an item type. `item-pages.ts` lists the pages. */
export const defineItem = <const Page extends ItemPage>(page: Page): Page => page;
