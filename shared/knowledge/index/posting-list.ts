import * as v from "valibot";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { type Item, type Key, unchanged, type Write } from "../../dynamodb/table.ts";
import { decodePostings, encodePostings, type Posting, toRank } from "./postings.ts";

/**
 * Block of a posting list. The postings of a term are stored best first in blocks below 1 KB, which cost one write unit
 * each. The first block also contains the size of the list and a version by which concurrent changes of any block are
 * detected.
 */
export interface PostingBlock {
  /** Lowest rank that belongs in the block. The block ends where the next one starts. */
  readonly start: string;
  readonly postings: readonly Posting[];
}

/** Postings to add to and remove from a list. Applying it again changes nothing. */
export interface ListChange {
  readonly add: Posting[];
  readonly remove: Posting[];
}

/** Start of the first block of every list. It sorts before all ranks of postings. */
export const FIRST_BLOCK_START = "0000000000";

/** Maximum number of postings in one block. At 10 bytes each, the item stays below 1 KB. */
const MAX_BLOCK_POSTINGS = 85;

/** Target number of postings in the blocks into which a full block is split. */
const SPLIT_BLOCK_POSTINGS = 55;

/** Limits of one step of a change, whose writes must fit into one transaction. */
const MAX_CHANGED_BLOCKS = 25;
const MAX_ADDED_POSTINGS = 1_500;

const readStoredBlock = itemReader(v.object({ sk: v.string(), postings: trusted<Uint8Array>() }));

export function readBlock(item: Item): PostingBlock {
  const { sk, postings } = readStoredBlock(item);
  return { start: sk, postings: decodePostings(postings) };
}

function findBlockStart(starts: readonly string[], posting: Posting): string {
  const rank = toRank(posting);
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? "") <= rank) low = middle + 1;
    else high = middle;
  }
  return starts[low - 1] ?? FIRST_BLOCK_START;
}

function sortByRank(postings: readonly Posting[]): Posting[] {
  return postings
    .map((posting) => ({ posting, rank: toRank(posting) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ posting }) => posting);
}

/**
 * Splits the postings of a block into blocks of about equal size if there are too many; otherwise returns one block.
 */
function splitBlock(postings: readonly Posting[]): Posting[][] {
  if (postings.length <= MAX_BLOCK_POSTINGS) return [[...postings]];
  const count = Math.ceil(postings.length / SPLIT_BLOCK_POSTINGS);
  const size = Math.ceil(postings.length / count);
  return Array.from({ length: count }, (_, index) => postings.slice(index * size, (index + 1) * size)).filter(
    (part) => part.length > 0,
  );
}

/** Posting list of one term, loaded with the blocks that a change can affect. */
export class PostingList {
  readonly #toKey: (start: string) => Key;
  readonly #head: Item | undefined;
  readonly #blocks: Map<string, Posting[]>;
  readonly #changedBlocks = new Set<string>();
  #total: number;

  /**
   * @param head item of the first block; undefined for a new list
   * @param blocks blocks that the change can affect
   */
  constructor(toKey: (start: string) => Key, head: Item | undefined, blocks: readonly PostingBlock[]) {
    this.#toKey = toKey;
    this.#head = head;
    this.#total = Number(head?.total ?? 0);
    this.#blocks = new Map(blocks.map(({ start, postings }) => [start, [...postings]]));
  }

  /**
   * Applies as much of a change as fits into one transaction.
   * @returns the rest of the change
   */
  apply({ add, remove }: ListChange): ListChange {
    const rest: ListChange = { add: [], remove: [] };
    const starts = [...this.#blocks.keys()].sort();
    const canChange = (start: string) =>
      this.#changedBlocks.has(start) || this.#changedBlocks.size < MAX_CHANGED_BLOCKS;
    for (const posting of remove) {
      const start = findBlockStart(starts, posting);
      if (!canChange(start)) rest.remove.push(posting);
      else this.#changeBlock(start, (block) => block.filter(({ passage }) => passage !== posting.passage));
    }
    for (const [index, posting] of add.entries()) {
      const start = findBlockStart(starts, posting);
      if (index >= MAX_ADDED_POSTINGS || !canChange(start)) rest.add.push(posting);
      else {
        this.#changeBlock(start, (block) =>
          block.some(({ passage }) => passage === posting.passage) ? block : [...block, posting],
        );
      }
    }
    return rest;
  }

  #changeBlock(start: string, change: (block: Posting[]) => Posting[]): void {
    const before = this.#blocks.get(start) ?? [];
    const after = change(before);
    if (after.length === before.length) return;
    this.#total += after.length - before.length;
    this.#blocks.set(start, after);
    this.#changedBlocks.add(start);
  }

  /**
   * Returns the writes of the applied changes. They always include the first block, whose version detects concurrent
   * changes of any block.
   */
  toWrites(): Write[] {
    if (this.#changedBlocks.size === 0) return [];
    let furtherBlocks = Number(this.#head?.blocks ?? 0);
    let firstPostings = this.#blocks.get(FIRST_BLOCK_START) ?? [];
    const writes: Write[] = [];
    const putBlock = (start: string, postings: readonly Posting[]) =>
      writes.push({
        put: { ...this.#toKey(start), discriminator: "postings", postings: encodePostings(postings) },
      });
    for (const start of this.#changedBlocks) {
      const [head = [], ...newBlocks] = splitBlock(sortByRank(this.#blocks.get(start) ?? []));
      if (start === FIRST_BLOCK_START) firstPostings = head;
      else if (head.length > 0) putBlock(start, head);
      else {
        writes.push({ delete: this.#toKey(start) });
        furtherBlocks--;
      }
      for (const postings of newBlocks) putBlock(toRank(postings[0] as Posting), postings);
      furtherBlocks += newBlocks.length;
    }
    return [this.#firstBlockWrite(firstPostings, furtherBlocks), ...writes];
  }

  #firstBlockWrite(postings: readonly Posting[], furtherBlocks: number): Write {
    const key = this.#toKey(FIRST_BLOCK_START);
    const condition = unchanged(this.#head, "version");
    if (this.#total === 0 && furtherBlocks === 0) return { delete: key, condition };
    return {
      put: {
        ...key,
        discriminator: "postings",
        version: Number(this.#head?.version ?? 0) + 1,
        total: this.#total,
        blocks: furtherBlocks,
        postings: encodePostings(postings),
      },
      condition,
    };
  }
}
