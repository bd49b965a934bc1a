import { randomUUID } from "node:crypto";
import { now } from "../lib/clock.ts";
import { together } from "../lib/request-coalescer.ts";
import { retryDelay } from "../lib/retry-delay.ts";
import { type Attributes, fromAttributes, toAttributes } from "./attributes.ts";
import { type CancellationReason, DynamodbError, dynamodbClient } from "./dynamodb-client.ts";
import { type IndexName, indexes, tableKeys } from "./table-layout.ts";

/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item as it lies in the table. */
export type Item = Key & Record<string, unknown>;

/** Condition of a write: an expression whose `#names` stand for attributes of that name and whose `:values` are given. */
export interface Condition {
  readonly where: string;
  readonly values?: Record<string, unknown>;
  /** What to throw where it does not hold, given what was found there; `ConditionFailed` or `TransactionFailed` otherwise. */
  readonly otherwise?: (found: Item | undefined) => Error;
}

/**
 * That there is nothing with that key, or only what has expired: DynamoDB may take days to delete it.
 * @param otherwise what to throw where there is something
 */
export function vacant(otherwise: Condition["otherwise"]): Condition {
  return {
    where: `attribute_not_exists(#pk) OR #${tableKeys.ttl} <= :second`,
    values: { second: Math.floor(now() / 1_000) },
    otherwise,
  };
}

/** One write, on its own or as a part of a transaction. */
export type Write = { readonly condition?: Condition } & (
  | { readonly put: Item }
  | ({ readonly update: Key } & Changes)
  | { readonly delete: Key }
  | { readonly check: Key }
);

/** The item that a write is about. */
export const writtenKey = (write: Write): Key =>
  "put" in write ? write.put : "update" in write ? write.update : "delete" in write ? write.delete : write.check;

/** What an update does to attributes. */
export interface Changes {
  readonly set?: Record<string, unknown>;
  readonly setIfAbsent?: Record<string, unknown>;
  readonly add?: Record<string, number>;
  readonly remove?: readonly string[];
}

/** One read of neighbouring items in sort-key order. */
export interface Query {
  readonly index?: IndexName;
  readonly pk: string;
  /** Only sort keys with this prefix. */
  readonly prefix?: string;
  /** Only sort keys strictly beyond this one, in reading direction. */
  readonly after?: string;
  /** Only sort keys from the first to the second, both included; without a prefix and an `after`. */
  readonly between?: readonly [from: string, to: string];
  readonly limit?: number;
  readonly descending?: boolean;
  readonly consistent?: boolean;
}

/** A condition did not hold; `item` is what the table had there, or undefined where there was nothing. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super("A condition of a write did not hold");
    this.item = item;
  }
}

/** A transaction was cancelled; `failures[i]` tells of its i-th write: the item found there, or null where it was fine. */
export class TransactionFailed extends Error {
  override name = "TransactionFailed";
  readonly failures: readonly ({ readonly item: Item | undefined } | null)[];
  constructor(failures: TransactionFailed["failures"]) {
    super("A transaction was cancelled");
    this.failures = failures;
  }
}

/** How something is read. */
interface ReadOptions {
  readonly consistent?: boolean;
}

/** A single item that is asked for. */
interface Wanted {
  readonly key: Key;
  readonly options: ReadOptions;
}

/** Partition keys never hold a line break. */
const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;

/** Whether there can be an item with that key at all: DynamoDB refuses to look for others, and whoever is asked with it. */
const canBe = ({ pk, sk }: Key) => sk !== "" && Buffer.byteLength(pk) <= 2_048 && Buffer.byteLength(sk) <= 1_024;

/** Single items that are fetched side by side; those that are asked for meanwhile are fetched together. */
const readsUnderWay = 4;

/** The narrow door to DynamoDB: everything the stores need and nothing else. */
export interface Table {
  /** One item, or undefined. */
  get(key: Key, options?: ReadOptions): Promise<Item | undefined>;
  /** Those of the items that exist, in no particular order; at most 100 keys. */
  getMany(keys: readonly Key[], options?: ReadOptions): Promise<Item[]>;
  /** Up to `limit` items (all of the range without one). */
  query(query: Query): Promise<Item[]>;
  /** @returns the item after a put or update, the one deleted before a delete. @throws ConditionFailed */
  write(write: Write): Promise<Item | undefined>;
  /** All of the writes or none. @throws TransactionFailed */
  transact(writes: readonly Write[]): Promise<void>;
  /** Deletes without conditions, in batches. */
  deleteMany(keys: readonly Key[]): Promise<void>;
}

/** An item out of DynamoDB's own notation. */
function itemOf(found: Attributes | undefined): Item | undefined {
  return found && (fromAttributes(found) as Item);
}

const keyOf = ({ pk, sk }: Key) => ({ pk: { S: pk }, sk: { S: sk } });

/** Expression parts shared by every operation with a condition. */
function expression(parts: { condition?: Condition } & Changes) {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parts.condition?.values ?? {})) values[`:${name}`] = value;
  const terms = (attributes: Record<string, unknown>, form: (name: string) => string) => {
    const names = Object.keys(attributes).filter((name) => attributes[name] !== undefined);
    for (const name of names) values[`:new_${name}`] = attributes[name];
    return names.map(form);
  };
  const { set = {}, setIfAbsent = {}, add = {}, remove = [] } = parts;
  const sets = [
    ...terms(set, (name) => `#${name} = :new_${name}`),
    ...terms(setIfAbsent, (name) => `#${name} = if_not_exists(#${name}, :new_${name})`),
  ];
  const adds = terms(add, (name) => `#${name} :new_${name}`);
  const removes = remove.map((name) => `#${name}`);
  const update = Object.entries({ SET: sets, ADD: adds, REMOVE: removes })
    .filter(([, clause]) => clause.length > 0)
    .map(([keyword, clause]) => `${keyword} ${clause.join(", ")}`)
    .join(" ");
  const names = new Set(`${update} ${parts.condition?.where ?? ""}`.match(/#\w+/g));
  return {
    ...(update && { UpdateExpression: update }),
    ...(parts.condition && { ConditionExpression: parts.condition.where }),
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [name, name.slice(1)])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: toAttributes(values) }),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  };
}

function transactItem(TableName: string, write: Write) {
  if ("put" in write) return { Put: { TableName, Item: toAttributes(write.put), ...expression(write) } };
  if ("delete" in write) return { Delete: { TableName, Key: keyOf(write.delete), ...expression(write) } };
  if ("check" in write) return { ConditionCheck: { TableName, Key: keyOf(write.check), ...expression(write) } };
  return { Update: { TableName, Key: keyOf(write.update), ...expression(write) } };
}

/** DynamoDB deletes expired items within days, not at once: until then they count as gone. */
function isLive(item: Record<string, unknown>): boolean {
  const expiresAt = item[tableKeys.ttl];
  return typeof expiresAt !== "number" || expiresAt > now() / 1_000;
}

/** The part of a key condition that bounds the sort key; a bound by BETWEEN lets `after` itself in. */
function sortKeyBound(query: Query): { where: string; values: Record<string, string> } | null {
  const { prefix, after, descending, between } = query;
  const both = ([from, to]: readonly [string, string]) => ({
    where: "#sk BETWEEN :from AND :to",
    values: { ":from": from, ":to": to },
  });
  if (between) return both(between);
  if (prefix !== undefined && after !== undefined) {
    return both(descending ? [prefix, after] : [after, `${prefix}\u{10ffff}`]);
  }
  if (prefix !== undefined) return { where: "begins_with(#sk, :prefix)", values: { ":prefix": prefix } };
  if (after !== undefined) return { where: `#sk ${descending ? "<" : ">"} :after`, values: { ":after": after } };
  return null;
}

const itemsOf = (found: readonly Attributes[] = []) => found.map((attributes) => fromAttributes(attributes) as Item);

function isNamed(error: unknown, name: string): error is DynamodbError {
  return error instanceof DynamodbError && error.name === name;
}

const isConditionFailure = (reason: CancellationReason) => reason.Code === "ConditionalCheckFailed";

/** What the first write that failed wants thrown, or the failures of all of them. */
function conditionError(writes: readonly Write[], reasons: readonly CancellationReason[]): Error {
  const failures = reasons.map((reason) => (isConditionFailure(reason) ? { item: itemOf(reason.Item) } : null));
  const first = failures.findIndex((failure) => failure !== null);
  return writes[first]?.condition?.otherwise?.(failures[first]?.item) ?? new TransactionFailed(failures);
}

/** Transactions that lost against a neighbour are tried this often before the caller learns of it. */
const transactionAttempts = 8;

/**
 * The table of this deployment.
 * @param name physical name of the table
 */
export function openTable(name: string): Table {
  const call = dynamodbClient();

  function queryInput(query: Query) {
    const { pk, sk } = query.index ? indexes[query.index] : tableKeys;
    const bound = sortKeyBound(query);
    return {
      TableName: name,
      IndexName: query.index,
      KeyConditionExpression: bound ? `#pk = :pk AND ${bound.where}` : "#pk = :pk",
      ExpressionAttributeNames: { "#pk": pk, ...(bound && { "#sk": sk }) },
      ExpressionAttributeValues: toAttributes({ ":pk": query.pk, ...bound?.values }),
      ScanIndexForward: !query.descending,
      ConsistentRead: query.consistent,
    };
  }

  async function getMany(keys: readonly Key[], { consistent }: ReadOptions = {}): Promise<Item[]> {
    const found: Item[] = [];
    let wanted = keys.map(keyOf);
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await retryDelay(attempt);
      const { Responses, UnprocessedKeys } = await call("BatchGetItem", {
        RequestItems: { [name]: { Keys: wanted, ConsistentRead: consistent } },
      });
      found.push(...itemsOf(Responses?.[name]).filter(isLive));
      wanted = UnprocessedKeys?.[name]?.Keys ?? [];
    }
    return found;
  }

  async function getOne(key: Key, { consistent }: ReadOptions): Promise<Item | undefined> {
    const { Item } = await call("GetItem", { TableName: name, Key: keyOf(key), ConsistentRead: consistent });
    const item = itemOf(Item);
    return item && isLive(item) ? item : undefined;
  }

  /** Single items that are asked for while others are on their way; the same one is fetched once. */
  async function getGroup(wanted: readonly Wanted[]): Promise<(Item | undefined)[]> {
    const [{ key, options }] = wanted as [Wanted, ...Wanted[]];
    const keys = new Map(wanted.map((each) => [nameOf(each.key), each.key]));
    const items = keys.size === 1 ? [await getOne(key, options)] : await getMany([...keys.values()], options);
    const found = new Map(items.flatMap((item) => (item ? [[nameOf(item), item]] : [])));
    return wanted.map((each) => found.get(nameOf(each.key)));
  }

  const get = together(getGroup, {
    kindOf: ({ options }) => String(options.consistent ?? false),
    lanes: readsUnderWay,
    atMost: 100,
  });

  return {
    get: async (key, options = {}) => (canBe(key) ? get({ key, options }) : undefined),
    getMany,

    async query(query) {
      const sk = query.index ? indexes[query.index].sk : tableKeys.sk;
      const input = queryInput(query);
      const wanted = query.limit ?? Number.POSITIVE_INFINITY;
      const found: Item[] = [];
      let ExclusiveStartKey: Attributes | undefined;
      do {
        // One more than wanted: the bound may let the item at `after` in.
        const Limit = query.limit === undefined ? undefined : wanted - found.length + (query.after ? 1 : 0);
        const page = await call("Query", { ...input, Limit, ExclusiveStartKey });
        found.push(...itemsOf(page.Items).filter((item) => item[sk] !== query.after && isLive(item)));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey && found.length < wanted);
      return found.slice(0, wanted);
    },

    async write(write) {
      if ("check" in write) throw new Error("A check is part of a transaction, it does nothing by itself");
      const input = { TableName: name, ...expression(write) };
      try {
        if ("put" in write) {
          await call("PutItem", { ...input, Item: toAttributes(write.put) });
          return write.put;
        }
        const { Attributes } =
          "delete" in write
            ? await call("DeleteItem", { ...input, Key: keyOf(write.delete), ReturnValues: "ALL_OLD" })
            : await call("UpdateItem", { ...input, Key: keyOf(write.update), ReturnValues: "ALL_NEW" });
        return itemOf(Attributes);
      } catch (error) {
        if (!isNamed(error, "ConditionalCheckFailedException")) throw error;
        const found = itemOf(error.item);
        throw write.condition?.otherwise?.(found) ?? new ConditionFailed(found);
      }
    },

    async transact(writes) {
      const TransactItems = writes.map((write) => transactItem(name, write));
      for (let attempt = 1; ; attempt++) {
        try {
          // With its token a transaction is done once, also when its answer is lost and it is sent again.
          await call("TransactWriteItems", { TransactItems, ClientRequestToken: randomUUID() });
          return;
        } catch (error) {
          if (!isNamed(error, "TransactionCanceledException")) throw error;
          if (error.reasons.some(isConditionFailure)) throw conditionError(writes, error.reasons);
          if (attempt >= transactionAttempts) throw error;
          await retryDelay(attempt);
        }
      }
    },

    async deleteMany(keys) {
      for (let start = 0; start < keys.length; start += 25) {
        let requests = keys.slice(start, start + 25).map((key) => ({ DeleteRequest: { Key: keyOf(key) } }));
        for (let attempt = 0; requests.length > 0; attempt++) {
          if (attempt > 0) await retryDelay(attempt);
          const { UnprocessedItems } = await call("BatchWriteItem", { RequestItems: { [name]: requests } });
          requests = UnprocessedItems?.[name] ?? [];
        }
      }
    },
  };
}
