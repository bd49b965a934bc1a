import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, type Item, type Key, TransactionFailed, type Write } from "../../dynamodb/table.ts";
import { MAX_BATCH_GET_KEYS, MAX_TRANSACTION_WRITES } from "../../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { retryRest } from "../../lib/retry.ts";
import type { Audience } from "../knowledge-access.ts";
import { FIRST_BLOCK_START, type ListChange, type PostingBlock, PostingList, readBlock } from "./posting-list.ts";
import { type Posting, toRank } from "./postings.ts";

/** First block of a posting list. */
export interface ListHead {
  /** Number of passages that contain the term. */
  readonly total: number;
  readonly postings: readonly Posting[];
  /** Number of blocks after the first one. */
  readonly blocks: number;
}

/**
 * Number of posting lists, changed by one call of `changePostings`, above which all writes are grouped into
 * transactions. Transactions cost twice the write units but take fewer calls, so that many large documents are indexed
 * within the timeout of the function.
 */
const TRANSACTIONS_ONLY_THRESHOLD = 25_000;

/** Maximum number of attempts to change lists while other writers change them concurrently. */
const MAX_ATTEMPTS = 12;

/**
 * Error if lists are still being changed by others after all attempts. It has the name of a retryable DynamoDB error,
 * because a retry helps.
 */
class ContentionError extends Error {
  override name = "TransactionConflictException";
}

interface ChangeTask {
  readonly term: string;
  readonly change: ListChange;
}

/** Change of one posting list, with its writes. */
interface PreparedChange {
  readonly task: ChangeTask;
  readonly writes: readonly Write[];
}

interface AttemptResult {
  readonly remaining: readonly ChangeTask[];
  readonly isContended: boolean;
}

/**
 * Changes the posting lists of many terms. Each step of a list is atomic, and the whole change can be repeated after an
 * interruption.
 * @throws ContentionError, which is retryable, if other writers keep changing the same lists
 */
export async function changePostings(
  scope: TenantScope,
  audience: Audience,
  changes: ReadonlyMap<string, ListChange>,
): Promise<void> {
  const tasks = [...changes].map(([term, change]): ChangeTask => ({ term, change }));
  const useTransactionsOnly = tasks.length > TRANSACTIONS_ONLY_THRESHOLD;
  await retryRest(tasks, async (pending, attempt) => {
    const batches = Array.from({ length: Math.ceil(pending.length / MAX_BATCH_GET_KEYS) }, (_, index) =>
      pending.slice(index * MAX_BATCH_GET_KEYS, (index + 1) * MAX_BATCH_GET_KEYS),
    );
    const results = await mapConcurrent(
      batches,
      (batch) => changeLists(scope, audience, batch, useTransactionsOnly),
      2,
    );
    if (attempt > MAX_ATTEMPTS && results.some(({ isContended }) => isContended)) throw new ContentionError();
    return results.flatMap(({ remaining }) => remaining);
  });
}

async function changeLists(
  scope: TenantScope,
  audience: Audience,
  tasks: readonly ChangeTask[],
  useTransactionsOnly: boolean,
): Promise<AttemptResult> {
  const table = tenantTable(scope);
  const toBlockKey = (term: string) => (start: string) => keys.postings(scope.tenantId, audience, term, start);
  const heads = await table.getMany(
    tasks.map(({ term }) => listKey(scope, audience, term)),
    { consistent: true },
  );
  const headsByPartition = new Map(heads.map((item) => [item.pk, item]));
  const remaining: ChangeTask[] = [];
  const prepared = await mapConcurrent(tasks, async (task): Promise<PreparedChange> => {
    const head = headsByPartition.get(listKey(scope, audience, task.term).pk);
    const toKey = toBlockKey(task.term);
    const list = new PostingList(toKey, head, await readAffectedBlocks(scope, toKey, head, task.change));
    const rest = list.apply(task.change);
    if (rest.add.length + rest.remove.length > 0) remaining.push({ term: task.term, change: rest });
    return { task, writes: list.toWrites() };
  });
  let isContended = false;
  const changed = prepared.filter(({ writes }) => writes.length > 0);
  const groups = useTransactionsOnly ? groupIntoTransactions(changed) : groupMultipleWrites(changed);
  await mapConcurrent(groups, async (group) => {
    const writes = group.flatMap((change) => change.writes);
    const [firstWrite] = writes;
    try {
      if (firstWrite && writes.length === 1) await table.write(firstWrite);
      else await table.transact(writes);
    } catch (error) {
      if (!(error instanceof TransactionFailed || error instanceof ConditionFailed)) throw error;
      isContended = true;
      remaining.push(...group.map(({ task }) => task));
    }
  });
  return { remaining, isContended };
}

/**
 * Groups changes into transactions. A list with a single write stays separate, because a transaction costs twice as
 * much.
 */
function groupMultipleWrites(changes: readonly PreparedChange[]): PreparedChange[][] {
  const { single = [], multiple = [] } = Object.groupBy(changes, ({ writes }) =>
    writes.length === 1 ? "single" : "multiple",
  );
  return [...single.map((change) => [change]), ...groupIntoTransactions(multiple)];
}

/** Groups changes into transactions of at most 100 writes. The writes of one list stay together. */
function groupIntoTransactions(changes: readonly PreparedChange[]): PreparedChange[][] {
  const groups: PreparedChange[][] = [];
  let size = MAX_TRANSACTION_WRITES;
  for (const change of changes) {
    size += change.writes.length;
    if (size > MAX_TRANSACTION_WRITES) {
      groups.push([]);
      size = change.writes.length;
    }
    groups.at(-1)?.push(change);
  }
  return groups;
}

/**
 * Reads the blocks that a change can affect: all blocks of a list that is short relative to the change, otherwise only
 * those of the changed postings.
 */
async function readAffectedBlocks(
  scope: TenantScope,
  toKey: (start: string) => Key,
  head: Item | undefined,
  { add, remove }: ListChange,
): Promise<PostingBlock[]> {
  if (!head) return [{ start: FIRST_BLOCK_START, postings: [] }];
  const table = tenantTable(scope);
  const { pk } = toKey(FIRST_BLOCK_START);
  const postings = [...add, ...remove];
  const furtherBlocks = Number(head.blocks);
  if (furtherBlocks === 0) return [readBlock(head)];
  if (furtherBlocks <= 4 * postings.length) {
    const others = await table.query({ pk, after: FIRST_BLOCK_START, consistent: true });
    return [head, ...others].map(readBlock);
  }
  const blocks = await mapConcurrent(
    postings,
    // "~" sorts after the digits of a rank, so the block that starts at this very rank is included.
    (posting) => table.query({ pk, after: `${toRank(posting)}~`, descending: true, limit: 1, consistent: true }),
    4,
  );
  const affected = new Map(blocks.flat().map((item) => [item.sk, item]));
  // Replaces a newer version of the first block by the one that was read first. Its version lets the later write detect
  // a concurrent change.
  affected.set(FIRST_BLOCK_START, head);
  return [...affected.values()].map(readBlock);
}

/** Returns the key of the first block of a term's list, for reading it in one batch with other items. */
export const listKey = (scope: TenantScope, audience: Audience, term: string) =>
  keys.postings(scope.tenantId, audience, term, FIRST_BLOCK_START);

/** Reads the first block of a list from its item. A missing item is an empty list. */
export function readListHead(item: Item | undefined): ListHead {
  if (!item) return { total: 0, postings: [], blocks: 0 };
  return { total: Number(item.total), postings: readBlock(item).postings, blocks: Number(item.blocks) };
}

/** Returns the postings of up to `maxBlocks` blocks after the first one, best first. */
export async function queryFurtherPostings(
  scope: TenantScope,
  audience: Audience,
  term: string,
  maxBlocks: number,
): Promise<Posting[]> {
  const { pk } = listKey(scope, audience, term);
  const items = await tenantTable(scope).query({ pk, after: FIRST_BLOCK_START, limit: maxBlocks });
  return items.flatMap((item) => readBlock(item).postings);
}
