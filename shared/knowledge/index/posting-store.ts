import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, type Item, type Key, TransactionFailed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { retryDelay } from "../../lib/retry-delay.ts";
import type { Audience } from "../knowledge-access.ts";
import { type Posting, pack, rankOf, unpack } from "./postings.ts";

/**
 * The postings of a term are a list in blocks, best first. Each block is an item below one kilobyte, which is what one
 * write unit pays for. The first block knows how many postings the list has, and its version guards the whole list.
 */
interface Block {
  /** Rank of the first posting that belongs here; the block ends where the next one begins. */
  readonly from: string;
  readonly postings: readonly Posting[];
}

/** What is to become of a term's list. Doing it twice is the same as doing it once. */
export interface ListChange {
  readonly add: Posting[];
  readonly remove: Posting[];
}

/** The beginning of a term's list, as a search finds it. */
export interface ListHead {
  /** Passages with the term. */
  readonly total: number;
  readonly postings: readonly Posting[];
  /** Blocks after this one. */
  readonly blocks: number;
}

/** Where every list's first block begins. */
const beginning = "0000000000";

/** Postings in one block at most: 10 bytes each, and the item stays below 1 KB. */
const blockCapacity = 85;
/** Postings in each of the blocks that a full one is divided into. */
const dividedInto = 55;

/** Most items of one transaction. */
const transactionSize = 100;
/** Blocks of one list that are changed, and postings that are added to it, at a time: they fit into one transaction. */
const blocksAtOnce = 25;
const additionsAtOnce = 1_500;
/** Keys one batch read takes. */
const batch = 100;

/** With more lists than this, time counts more than write units: all go in transactions, ten times as fast. */
const hurry = 1_000;

/** How often a list is tried again when others change it at the same time. */
const attempts = 12;

function unpackBlock(item: Item): Block {
  return { from: item.sk, postings: unpack(item.postings as Uint8Array) };
}

/** Others kept changing the same lists. Named as DynamoDB names its like, for trying again later helps. */
class Contention extends Error {
  override name = "TransactionConflictException";
}

/** A change of one list on its way into the table. */
interface Task {
  readonly term: string;
  readonly change: ListChange;
}

/** A list as far as a change touches it. */
class List {
  readonly #key: (from: string) => Key;
  readonly #head: Item | undefined;
  readonly #blocks: Map<string, Posting[]>;
  readonly #touched = new Set<string>();
  #total: number;

  constructor(key: (from: string) => Key, head: Item | undefined, blocks: readonly Block[]) {
    this.#key = key;
    this.#head = head;
    this.#total = Number(head?.total ?? 0);
    this.#blocks = new Map(blocks.map(({ from, postings }) => [from, [...postings]]));
  }

  /** Makes a change, as far as there is room in one transaction; gives what is left to do. */
  apply({ add, remove }: ListChange): ListChange {
    const left: ListChange = { add: [], remove: [] };
    const starts = [...this.#blocks.keys()].sort();
    const room = (from: string) => this.#touched.has(from) || this.#touched.size < blocksAtOnce;
    for (const posting of remove) {
      const from = startOf(starts, posting);
      if (!room(from)) left.remove.push(posting);
      else this.#edit(from, (block) => block.filter(({ passage }) => passage !== posting.passage));
    }
    for (const [index, posting] of add.entries()) {
      const from = startOf(starts, posting);
      if (index >= additionsAtOnce || !room(from)) left.add.push(posting);
      else {
        this.#edit(from, (block) =>
          block.some(({ passage }) => passage === posting.passage) ? block : [...block, posting],
        );
      }
    }
    return left;
  }

  #edit(from: string, edit: (block: Posting[]) => Posting[]): void {
    const before = this.#blocks.get(from) ?? [];
    const after = edit(before);
    if (after.length === before.length) return;
    this.#total += after.length - before.length;
    this.#blocks.set(from, after);
    this.#touched.add(from);
  }

  /** The writes that bring the table up to date: the first block always among them, for it guards the others. */
  writes(): Write[] {
    if (this.#touched.size === 0) return [];
    let blocks = Number(this.#head?.blocks ?? 0);
    let first = this.#blocks.get(beginning) ?? [];
    const writes: Write[] = [];
    const put = (from: string, postings: readonly Posting[]) =>
      writes.push({ put: { ...this.#key(from), discriminator: "postings", postings: pack(postings) } });
    for (const from of this.#touched) {
      const [head = [], ...rest] = divided(bestFirst(this.#blocks.get(from) ?? []));
      if (from === beginning) first = head;
      else if (head.length > 0) put(from, head);
      else {
        writes.push({ delete: this.#key(from) });
        blocks--;
      }
      for (const part of rest) put(rankOf(part[0] as Posting), part);
      blocks += rest.length;
    }
    return [this.#firstWrite(first, blocks), ...writes];
  }

  #firstWrite(postings: readonly Posting[], blocks: number): Write {
    const key = this.#key(beginning);
    const condition = this.#head
      ? { where: "#version = :version", values: { version: this.#head.version } }
      : { where: "attribute_not_exists(#pk)" };
    if (this.#total === 0 && blocks === 0) return { delete: key, condition };
    const version = Number(this.#head?.version ?? 0) + 1;
    return {
      put: { ...key, discriminator: "postings", version, total: this.#total, blocks, postings: pack(postings) },
      condition,
    };
  }
}

/** The start of the block that a posting belongs to. */
function startOf(starts: readonly string[], posting: Posting): string {
  const rank = rankOf(posting);
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? "") <= rank) low = middle + 1;
    else high = middle;
  }
  return starts[low - 1] ?? beginning;
}

function bestFirst(postings: readonly Posting[]): Posting[] {
  return postings
    .map((posting) => ({ posting, rank: rankOf(posting) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ posting }) => posting);
}

function divided(postings: readonly Posting[]): Posting[][] {
  if (postings.length <= blockCapacity) return [[...postings]];
  const parts = Math.ceil(postings.length / dividedInto);
  const size = Math.ceil(postings.length / parts);
  return Array.from({ length: parts }, (_, part) => postings.slice(part * size, (part + 1) * size)).filter(
    (part) => part.length > 0,
  );
}

/**
 * Changes the lists of many terms. Each list changes as a whole or not at all; interrupted, it can be done again.
 * @throws Error that is transient when others keep changing the same lists
 */
export async function changePostings(
  scope: TenantScope,
  audience: Audience,
  changes: ReadonlyMap<string, ListChange>,
): Promise<void> {
  let tasks: Task[] = [...changes].map(([term, change]) => ({ term, change }));
  const hurried = tasks.length > hurry;
  for (let attempt = 0; tasks.length > 0; attempt++) {
    if (attempt > 0) await retryDelay(attempt);
    const rounds = Array.from({ length: Math.ceil(tasks.length / batch) }, (_, index) =>
      tasks.slice(index * batch, (index + 1) * batch),
    );
    const outcomes = await mapConcurrent(rounds, (round) => changeLists(scope, audience, round, hurried), 2);
    tasks = outcomes.flatMap(({ left }) => left);
    if (attempt >= attempts && outcomes.some(({ contended }) => contended)) throw new Contention();
  }
}

interface Outcome {
  readonly left: readonly Task[];
  readonly contended: boolean;
}

async function changeLists(
  scope: TenantScope,
  audience: Audience,
  tasks: readonly Task[],
  hurried: boolean,
): Promise<Outcome> {
  const table = tenantTable(scope);
  const keyOf = (term: string) => (from: string) => keys.postings(scope.tenantId, audience, term, from);
  const heads = await table.getMany(
    tasks.map(({ term }) => keyOf(term)(beginning)),
    { consistent: true },
  );
  const headOf = new Map(heads.map((item) => [item.pk, item]));
  const left: Task[] = [];
  const changed = await mapConcurrent(tasks, async (task) => {
    const head = headOf.get(keyOf(task.term)(beginning).pk);
    const list = new List(keyOf(task.term), head, await blocksFor(scope, keyOf(task.term), head, task.change));
    const rest = list.apply(task.change);
    if (rest.add.length + rest.remove.length > 0) left.push({ term: task.term, change: rest });
    return { task, writes: list.writes() };
  });
  let contended = false;
  const toWrite = changed.filter(({ writes }) => writes.length > 0);
  await mapConcurrent(hurried ? transactionsOf(toWrite) : transactionsOrNone(toWrite), async (group) => {
    const writes = group.flatMap((list) => list.writes);
    const [only] = writes;
    try {
      if (only && writes.length === 1) await table.write(only);
      else await table.transact(writes);
    } catch (error) {
      if (!(error instanceof TransactionFailed || error instanceof ConditionFailed)) throw error;
      contended = true;
      left.push(...group.map(({ task }) => task));
    }
  });
  return { left, contended };
}

/** Writes that stand alone alone, for a transaction costs twice as much as the writes in it; the others as below. */
function transactionsOrNone<Changed extends { readonly writes: readonly Write[] }>(
  lists: readonly Changed[],
): Changed[][] {
  const { alone = [], together = [] } = Object.groupBy(lists, ({ writes }) =>
    writes.length === 1 ? "alone" : "together",
  );
  return [...alone.map((list) => [list]), ...transactionsOf(together)];
}

/** Packs the writes of lists into as few transactions as possible, those of one list together. */
function transactionsOf<Changed extends { readonly writes: readonly Write[] }>(lists: readonly Changed[]): Changed[][] {
  const groups: Changed[][] = [];
  let size = transactionSize;
  for (const list of lists) {
    size += list.writes.length;
    if (size > transactionSize) {
      groups.push([]);
      size = list.writes.length;
    }
    groups.at(-1)?.push(list);
  }
  return groups;
}

/** The blocks that a change may touch: of a long list only those its postings belong to. */
async function blocksFor(
  scope: TenantScope,
  keyOf: (from: string) => Key,
  head: Item | undefined,
  { add, remove }: ListChange,
): Promise<Block[]> {
  if (!head) return [{ from: beginning, postings: [] }];
  const table = tenantTable(scope);
  const { pk } = keyOf(beginning);
  const postings = [...add, ...remove];
  const blocks = Number(head.blocks);
  if (blocks === 0) return [unpackBlock(head)];
  if (blocks <= 4 * postings.length) {
    const others = await table.query({ pk, after: beginning, consistent: true });
    return [head, ...others].map(unpackBlock);
  }
  const found = await mapConcurrent(
    postings,
    (posting) => table.query({ pk, after: `${rankOf(posting)}~`, descending: true, limit: 1, consistent: true }),
    4,
  );
  const touched = new Map(found.flat().map((item) => [item.sk, item]));
  // As it was read first: should it have changed since, its version tells.
  touched.set(beginning, head);
  return [...touched.values()].map(unpackBlock);
}

/** The key of the beginning of a term's list, for reading several along with other items. */
export const listKey = (scope: TenantScope, audience: Audience, term: string) =>
  keys.postings(scope.tenantId, audience, term, beginning);

/** The beginning of a list as it lies in the table. */
export function listHeadOf(item: Item | undefined): ListHead {
  if (!item) return { total: 0, postings: [], blocks: 0 };
  return { total: Number(item.total), postings: unpackBlock(item).postings, blocks: Number(item.blocks) };
}

/** The postings of a list after its first block, best first, at most so many blocks of them. */
export async function morePostings(
  scope: TenantScope,
  audience: Audience,
  term: string,
  blocks: number,
): Promise<Posting[]> {
  const { pk } = listKey(scope, audience, term);
  const items = await tenantTable(scope).query({ pk, after: beginning, limit: blocks });
  return items.flatMap((item) => unpackBlock(item).postings);
}
