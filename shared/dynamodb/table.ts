import { now } from "../lib/clock.ts";
import { type IndexName, tableKeys } from "./table-layout.ts";

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Key & Record<string, unknown>;

/** Condition of a write: an expression in which `#name` stands for the attribute `name` and `:name` for a value. */
export interface Condition {
  readonly where: string;
  readonly values?: Record<string, unknown>;
  /** Returns the error to throw instead of `ConditionFailed` or `TransactionFailed`, given the item in the table. */
  readonly onConditionFailed?: (existing: Item | undefined) => Error;
}

/**
 * Condition that no item has the key, or only an expired one: DynamoDB may take days to delete expired items.
 * @param onConditionFailed returns the error to throw when there is an item
 */
export function absentOrExpired(onConditionFailed: Condition["onConditionFailed"]): Condition {
  return {
    where: `attribute_not_exists(#pk) OR #${tableKeys.ttl} <= :second`,
    values: { second: Math.floor(now() / 1_000) },
    onConditionFailed,
  };
}

/** One write, on its own or as part of a transaction. */
export type Write = { readonly condition?: Condition } & (
  | { readonly put: Item }
  | ({ readonly update: Key } & Changes)
  | { readonly delete: Key }
  | { readonly check: Key }
);

export const getWriteKey = (write: Write): Key =>
  "put" in write ? write.put : "update" in write ? write.update : "delete" in write ? write.delete : write.check;

export interface Changes {
  readonly set?: Record<string, unknown>;
  readonly setIfAbsent?: Record<string, unknown>;
  readonly add?: Record<string, number>;
  readonly remove?: readonly string[];
}

/** Query for the items of one partition, in the order of their sort keys. */
export interface Query {
  readonly index?: IndexName;
  readonly pk: string;
  /** Only sort keys with this prefix. */
  readonly prefix?: string;
  /** Only sort keys strictly beyond this one, in reading direction. */
  readonly after?: string;
  /** Only sort keys in this range, both ends included; cannot be combined with `prefix` or `after`. */
  readonly between?: readonly [from: string, to: string];
  readonly limit?: number;
  readonly descending?: boolean;
  readonly consistent?: boolean;
  /** Attributes to return in addition to the keys; all by default. Saves transfer and parsing, but no read units. */
  readonly attributes?: readonly string[];
}

/** The condition of a write did not hold; `item` is the item in the table, if there is one. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super("The condition of a write did not hold");
    this.item = item;
  }
}

/** Error handler that ignores a failed condition and rethrows any other error. */
export function ignoreConditionFailed(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error;
}

/** A transaction was canceled; `failures[i]` holds the item that the i-th write met, or null if that write was fine. */
export class TransactionFailed extends Error {
  override name = "TransactionFailed";
  readonly failures: readonly ({ readonly item: Item | undefined } | null)[];
  constructor(failures: TransactionFailed["failures"]) {
    super("A transaction was canceled");
    this.failures = failures;
  }
}

/** Consistency of a read. */
export interface ReadOptions {
  readonly consistent?: boolean;
}

/** Port to DynamoDB: every operation that stores use. Expired items count as absent. */
export interface Table {
  /** Returns one item, or undefined. Concurrent calls are coalesced into batch reads. */
  get(key: Key, options?: ReadOptions): Promise<Item | undefined>;
  /** Returns the items with the given keys that exist, in no particular order; at most 100 keys. */
  getMany(keys: readonly Key[], options?: ReadOptions): Promise<Item[]>;
  /** Returns up to `limit` items, or the whole range without a limit. */
  query(query: Query): Promise<Item[]>;
  /** @returns the new item of a put or update, the old item of a delete. @throws ConditionFailed */
  write(write: Write): Promise<Item | undefined>;
  /** Performs all of the writes or none. @throws TransactionFailed */
  transact(writes: readonly Write[]): Promise<void>;
  /** Deletes items unconditionally, in batches. */
  deleteMany(keys: readonly Key[]): Promise<void>;
}
