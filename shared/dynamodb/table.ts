import { now } from "../lib/clock.ts";
import { type IndexName, tableKeys } from "./table-layout.ts";

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Key & Record<string, unknown>;

/**
 * Returns the error to throw instead of `ConditionFailed` or `TransactionFailed`. Gets the item that is in the table, if any.
 */
type ToError = (existing: Item | undefined) => Error;

/** Condition of a write. Stores create conditions with the functions below and write no expressions. */
export interface Condition {
  /** Expression in which `#name` stands for the attribute `name` and `:name` for a value. */
  readonly where: string;
  readonly values?: Record<string, unknown>;
  /** Values of attributes that an existing item must have for the condition to hold; null if it holds for none. */
  readonly required?: Readonly<Record<string, unknown>> | null;
  readonly onConditionFailed?: ToError;
}

const toName = (attribute: string) => `#${attribute.replaceAll(".", ".#")}`;

/** Condition that the item has an attribute; `a.b` names an attribute of the map `a`. */
export function hasAttribute(name: string, onConditionFailed?: ToError): Condition {
  return { where: `attribute_exists(${toName(name)})`, onConditionFailed };
}

/** Condition that the item does not have an attribute, or that there is no item. */
export function lacksAttribute(name: string, onConditionFailed?: ToError): Condition {
  return { where: `attribute_not_exists(${toName(name)})`, onConditionFailed };
}

/** Condition that an item has the key. */
export const exists = (onConditionFailed?: ToError): Condition => hasAttribute(tableKeys.pk, onConditionFailed);

/** Condition that no item has the key. */
export const absent = (onConditionFailed?: ToError): Condition => ({
  ...lacksAttribute(tableKeys.pk, onConditionFailed),
  required: null,
});

/** Condition that an item has the key and is not marked as deleted. */
export function notDeleted(onConditionFailed?: ToError): Condition {
  return allOf([exists(), lacksAttribute("deleted")], onConditionFailed);
}

/** Returns the condition that each attribute compares to its value by the operator. */
function compare(operator: string, attributes: Record<string, unknown>, onConditionFailed?: ToError): Condition {
  const clauses = Object.entries(attributes).map(([name, value]) => {
    const placeholder = name.replaceAll(".", "_");
    return { where: `${toName(name)} ${operator} :${placeholder}`, values: { [placeholder]: value } };
  });
  return allOf(clauses, onConditionFailed);
}

/** Condition that all of the attributes have the values. */
export function equals(attributes: Record<string, unknown>, onConditionFailed?: ToError): Condition {
  return { ...compare("=", attributes, onConditionFailed), required: attributes };
}

/** Condition that no attribute equals its value. An absent attribute differs from any value. */
export const differs = (attributes: Record<string, unknown>): Condition => compare("<>", attributes);

/** Limits by attribute name. An absent attribute never fulfills a comparison. */
type Limits = Readonly<Record<string, number | string>>;

/** Condition that each attribute is less than its limit. */
export const lessThan = (limits: Limits): Condition => compare("<", limits);

/** Condition that each attribute is at most its limit. */
export const atMost = (limits: Limits): Condition => compare("<=", limits);

/** Condition that each attribute is greater than its limit. */
export const greaterThan = (limits: Limits): Condition => compare(">", limits);

/**
 * Joins conditions to one, which throws the error of `onConditionFailed` instead of those of the single conditions. Values of
 * the same name that differ are renamed.
 */
function join(operator: "AND" | "OR", conditions: readonly Condition[], onConditionFailed?: ToError): Condition {
  const values: Record<string, unknown> = {};
  const clauses = conditions.map(({ where, values: own = {} }) => {
    const clause = where.replace(/:(\w+)/g, (_, name: string) => {
      let free = name;
      while (free in values && values[free] !== own[name]) free += "_";
      values[free] = own[name];
      return `:${free}`;
    });
    // DynamoDB rejects redundant parentheses.
    const isGroup = conditions.length > 1 && clause.includes(operator === "AND" ? " OR " : " AND ");
    return isGroup ? `(${clause})` : clause;
  });
  return { where: clauses.join(` ${operator} `), values, onConditionFailed };
}

/** Condition that all of the conditions hold. */
export function allOf(conditions: readonly Condition[], onConditionFailed?: ToError): Condition {
  const all = conditions.map(({ required }) => required);
  return {
    ...join("AND", conditions, onConditionFailed),
    required: all.includes(null) ? null : Object.assign({}, ...all),
  };
}

/** Condition that at least one of the conditions holds. */
export function anyOf(conditions: readonly Condition[], onConditionFailed?: ToError): Condition {
  const [first, ...others] = conditions.filter(({ required }) => required !== null);
  const joined = join("OR", conditions, onConditionFailed);
  return others.length > 0 ? joined : { ...joined, required: first ? first.required : null };
}

/**
 * Condition that an attribute still has the value that an earlier read returned; if that read found no item, that there is
 * still none.
 */
export function unchanged<Read extends object>(
  before: Read | null | undefined,
  attribute: keyof Read & string,
  onConditionFailed?: ToError,
): Condition {
  return before ? equals({ [attribute]: before[attribute] }, onConditionFailed) : absent(onConditionFailed);
}

/** Condition that no item has the key, or only an expired one: DynamoDB may take days to delete expired items. */
export function absentOrExpired(onConditionFailed?: ToError): Condition {
  return anyOf([absent(), atMost({ [tableKeys.ttl]: Math.floor(now() / 1_000) })], onConditionFailed);
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
  /** Only sort keys after this one in reading direction, excluding it. */
  readonly after?: string;
  /** Only sort keys in this range, both ends included; cannot be combined with `prefix` or `after`. */
  readonly between?: readonly [from: string, to: string];
  readonly limit?: number;
  readonly descending?: boolean;
  readonly consistent?: boolean;
  /** Attributes to return in addition to the keys; all by default. Saves network transfer and parsing, but no read units. */
  readonly attributes?: readonly string[];
}

/** Error of a write whose condition did not hold; `item` is the item in the table, if there is one. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super("The condition of a write did not hold");
    this.item = item;
  }
}

/**
 * Error of a canceled transaction. `failures[i]` holds the item that made the condition of write `i` fail, or is null if that
 * condition did not fail.
 */
export class TransactionFailed extends Error {
  override name = "TransactionFailed";
  readonly failures: readonly ({ readonly item: Item | undefined } | null)[];
  constructor(failures: TransactionFailed["failures"]) {
    super("A transaction was canceled");
    this.failures = failures;
  }
}

/** Error handler that ignores a failed condition of a write or transaction and rethrows any other error. */
export function ignoreConditionFailed(error: unknown): void {
  if (!(error instanceof ConditionFailed || error instanceof TransactionFailed)) throw error;
}

/** Returns true if a write or transaction was performed, false if one of its conditions did not hold. */
export async function isPerformed(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing;
    return true;
  } catch (error) {
    ignoreConditionFailed(error);
    return false;
  }
}

export interface ReadOptions {
  readonly consistent?: boolean;
}

/** Port to DynamoDB with all operations that stores use. Expired items that DynamoDB has not deleted yet count as absent. */
export interface Table {
  /** Returns one item, or undefined. Concurrent calls are coalesced into batch reads. */
  get(key: Key, options?: ReadOptions): Promise<Item | undefined>;
  /** Returns the items that exist among the given keys, in no particular order; at most 100 keys. */
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
