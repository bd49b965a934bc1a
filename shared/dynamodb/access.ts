import { keys } from "./keys.ts";
import type { IndexName } from "./table-layout.ts";

/** IAM actions, without the prefix `dynamodb:`, that each operation of the table port requires. */
const actions = {
  /** `get` combines concurrent reads into batches. */
  get: ["GetItem", "BatchGetItem"],
  getMany: ["BatchGetItem"],
  query: ["Query"],
  /** `Query` is granted on the index instead, because IAM cannot limit index reads to partitions of the table. */
  queryIndex: [],
  put: ["PutItem"],
  update: ["UpdateItem"],
  /** Before a deletion, an update records its actor. */
  delete: ["DeleteItem", "UpdateItem"],
  deleteMany: ["BatchWriteItem"],
  /** Condition on an item that a transaction does not write. */
  check: ["ConditionCheckItem"],
} as const;

/** Operation that a store performs on the items of one type; its IAM actions are in `actions`. */
export type ItemOperation = keyof typeof actions;

/** Access to the items of one type that a function can be granted. */
export interface ItemAccess {
  /** IAM actions without their prefix: `GetItem`. */
  readonly actions: readonly string[];
  /** Names of the indexes that are queried. */
  readonly indexes: readonly IndexName[];
  /** Partition keys of the items as an IAM pattern: `*#conversation#*`. */
  readonly partition: string;
}

/** Name of a key builder, which stands for an item type. */
type ItemType = keyof typeof keys;

/**
 * Returns the IAM pattern of the partition keys that a key builder creates: parts that depend on its arguments become
 * wildcards.
 */
export function toPartitionPattern(build: (...parts: never[]) => { readonly pk: string }): string {
  const [first = [], second] = ["a", 65_536].map((part) => build(...(Array(8).fill(part) as never[])).pk.split("#"));
  return first.map((part, index) => (part === second?.[index] ? part : "*")).join("#");
}

/**
 * Declares the operations that a store performs on the items of one type.
 * @param type name of the key builder of these items
 * @returns function that selects the operations to grant to a Lambda function, see `functions/uses.ts`
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
