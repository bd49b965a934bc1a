import { keys } from "./keys.ts";
import type { IndexName } from "./table-layout.ts";

/** IAM actions, without their prefix, by the operations of the table port. */
const actions = {
  /** Concurrent reads of single items are combined into batches. */
  get: ["GetItem", "BatchGetItem"],
  getMany: ["BatchGetItem"],
  query: ["Query"],
  /** The right is one on the index, which has no condition for keys. */
  queryIndex: [],
  put: ["PutItem"],
  update: ["UpdateItem"],
  /** The actor of a deletion is recorded by an update that precedes it. */
  delete: ["DeleteItem", "UpdateItem"],
  deleteMany: ["BatchWriteItem"],
  /** Check of a condition within a transaction. */
  check: ["ConditionCheckItem"],
} as const;

/** Operation of the table port on the items of one type. */
export type ItemOperation = keyof typeof actions;

/** Access to the items of one type by one operation: what a function may be given. */
export interface ItemAccess {
  /** IAM actions without their prefix: `GetItem`. */
  readonly actions: readonly string[];
  /** Names of the indexes that are queried. */
  readonly indexes: readonly IndexName[];
  /** Partition of the items as an IAM pattern: `*#conversation#*`. */
  readonly partition: string;
}

/** Key builder of an item type. */
type ItemType = keyof typeof keys;

/** Returns the pattern of the partitions of a key builder: the parts that depend on its arguments become wildcards. */
export function toPartitionPattern(build: (...parts: never[]) => { readonly pk: string }): string {
  const [first = [], second] = ["a", 65_536].map((part) => build(...(Array(8).fill(part) as never[])).pk.split("#"));
  return first.map((part, index) => (part === second?.[index] ? part : "*")).join("#");
}

/**
 * Declares the operations that a store performs on the items of one type.
 * @param type key builder of the items
 * @returns function that names the operations to give to a function, see `functions/uses.ts`
 */
export /* @__NO_SIDE_EFFECTS__ */ function itemAccess<const Operation extends ItemOperation>(
  type: ItemType,
  ..._declared: readonly Operation[]
): (...operations: readonly Operation[]) => ItemAccess {
  return (...operations) => ({
    actions: [...new Set(operations.flatMap((operation) => actions[operation]))],
    indexes: operations.some((operation) => operation === "queryIndex") ? ["gsi1"] : [],
    partition: toPartitionPattern(keys[type]),
  });
}
