import { randomUUID } from "node:crypto";
import { now } from "../lib/clock.ts";
import { coalesceRequests } from "../lib/request-coalescer.ts";
import { retry, retryRest } from "../lib/retry.ts";
import { dynamodbClient } from "./dynamodb-client.ts";
import { keyAttributes, queryInput, toTransactItem, writeExpression } from "./expressions.ts";
import {
  ConditionFailed,
  type Item,
  type Key,
  type ReadOptions,
  type Table,
  TransactionFailed,
  type Write,
} from "./table.ts";
import { type CancellationReason, DynamodbError, type TableClient, type Values } from "./table-client.ts";
import { indexes, MAX_BATCH_GET_KEYS, MAX_BATCH_WRITES, tableKeys } from "./table-layout.ts";

/** Read of one item that is not sent yet. */
interface PendingGet {
  readonly key: Key;
  readonly options: ReadOptions;
}

/**
 * Maximum number of concurrent batches of single-item reads. Reads that arrive while all of them are in flight form the next
 * batch.
 */
const MAX_CONCURRENT_GETS = 4;

/** Maximum number of attempts of a transaction that conflicts with another one. */
const MAX_TRANSACTION_ATTEMPTS = 8;

/** Returns a key as one text, for use in a `Map`; partition keys never contain a line break. */
const toMapKey = ({ pk, sk }: Key) => `${pk}\n${sk}`;

/** Returns true if DynamoDB accepts a key. One empty or overlong key would make it reject a whole batch. */
const isValidKey = ({ pk, sk }: Key) => sk !== "" && Buffer.byteLength(pk) <= 2_048 && Buffer.byteLength(sk) <= 1_024;

function isLive(item: Values): boolean {
  const expiresAt = item[tableKeys.ttl];
  return typeof expiresAt !== "number" || expiresAt > now() / 1_000;
}

const hasName = (error: unknown, name: string): error is DynamodbError =>
  error instanceof DynamodbError && error.name === name;

const isCancellation = (error: unknown) => hasName(error, "TransactionCanceledException");

const isConditionFailure = (reason: CancellationReason) => reason.Code === "ConditionalCheckFailed";

/** Returns the error that the first write with a failed condition defines, or else `TransactionFailed` with all failures. */
function toTransactionError(writes: readonly Write[], reasons: readonly CancellationReason[]): Error {
  const failures = reasons.map((reason) =>
    isConditionFailure(reason) ? { item: reason.item as Item | undefined } : null,
  );
  const first = failures.findIndex((failure) => failure !== null);
  return writes[first]?.condition?.onConditionFailed?.(failures[first]?.item) ?? new TransactionFailed(failures);
}

/**
 * Opens a table.
 * @param name physical name of the table
 */
export function openTable(name: string, { call }: TableClient = dynamodbClient()): Table {
  async function getMany(keys: readonly Key[], { consistent }: ReadOptions = {}): Promise<Item[]> {
    const items: Item[] = [];
    await retryRest<Key>(keys.map(keyAttributes), async (Keys) => {
      const { Responses, UnprocessedKeys } = await call("BatchGetItem", {
        RequestItems: { [name]: { Keys, ConsistentRead: consistent } },
      });
      items.push(...(Responses?.[name] ?? []).filter(isLive));
      return UnprocessedKeys?.[name]?.Keys ?? [];
    });
    return items;
  }

  async function getOne(key: Key, { consistent }: ReadOptions): Promise<Item | undefined> {
    const input = { TableName: name, Key: keyAttributes(key), ConsistentRead: consistent };
    const item: Item | undefined = (await call("GetItem", input)).Item;
    return item && isLive(item) ? item : undefined;
  }

  async function getBatch(batch: readonly PendingGet[]): Promise<(Item | undefined)[]> {
    const [{ key, options }] = batch as [PendingGet, ...PendingGet[]];
    const keys = new Map(batch.map((pending) => [toMapKey(pending.key), pending.key]));
    const items = keys.size === 1 ? [await getOne(key, options)] : await getMany([...keys.values()], options);
    const itemsByKey = new Map(items.flatMap((item) => (item ? [[toMapKey(item), item]] : [])));
    return batch.map((pending) => itemsByKey.get(toMapKey(pending.key)));
  }

  const get = coalesceRequests(getBatch, {
    groupBy: ({ options }) => String(options.consistent ?? false),
    maxConcurrentBatches: MAX_CONCURRENT_GETS,
    maxBatchSize: MAX_BATCH_GET_KEYS,
    joinsConcurrentCalls: true,
  });

  return {
    get: async (key, options = {}) => (isValidKey(key) ? get({ key, options }) : undefined),
    getMany,

    async query(query) {
      const sk = query.index ? indexes[query.index].sk : tableKeys.sk;
      const input = queryInput(name, query);
      const limit = query.limit ?? Number.POSITIVE_INFINITY;
      const items: Item[] = [];
      let ExclusiveStartKey: Values | undefined;
      do {
        // One more than requested, because the range may include the item at `after`.
        const Limit = query.limit === undefined ? undefined : limit - items.length + (query.after ? 1 : 0);
        const page = await call("Query", { ...input, Limit, ExclusiveStartKey });
        items.push(...page.Items.filter((item: Item) => item[sk] !== query.after && isLive(item)));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey && items.length < limit);
      return items.slice(0, limit);
    },

    async write(write) {
      if ("check" in write) throw new Error("A condition check is only allowed in a transaction");
      const input = { TableName: name, ...writeExpression(write) };
      try {
        if ("put" in write) {
          await call("PutItem", { ...input, Item: write.put });
          return write.put;
        }
        const { Attributes } =
          "delete" in write
            ? await call("DeleteItem", { ...input, Key: keyAttributes(write.delete), ReturnValues: "ALL_OLD" })
            : await call("UpdateItem", { ...input, Key: keyAttributes(write.update), ReturnValues: "ALL_NEW" });
        return Attributes;
      } catch (error) {
        if (!hasName(error, "ConditionalCheckFailedException")) throw error;
        const existing = error.item as Item | undefined;
        throw write.condition?.onConditionFailed?.(existing) ?? new ConditionFailed(existing);
      }
    },

    async transact(writes) {
      const TransactItems = writes.map((write) => toTransactItem(name, write));
      const perform = async () => {
        try {
          // The token makes the client's own retries idempotent: a lost response does not repeat the transaction.
          await call("TransactWriteItems", { TransactItems, ClientRequestToken: randomUUID() });
        } catch (error) {
          if (!isCancellation(error) || !error.reasons.some(isConditionFailure)) throw error;
          throw toTransactionError(writes, error.reasons);
        }
      };
      await retry(perform, { maxAttempts: MAX_TRANSACTION_ATTEMPTS, isRetryable: isCancellation });
    },

    async deleteMany(keys) {
      for (let start = 0; start < keys.length; start += MAX_BATCH_WRITES) {
        const batch = keys.slice(start, start + MAX_BATCH_WRITES);
        const deletions: readonly unknown[] = batch.map((key) => ({ DeleteRequest: { Key: keyAttributes(key) } }));
        await retryRest(deletions, async (requests) => {
          const { UnprocessedItems } = await call("BatchWriteItem", { RequestItems: { [name]: requests } });
          return UnprocessedItems?.[name] ?? [];
        });
      }
    },
  };
}
