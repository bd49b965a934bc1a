import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, type Item, unchanged } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { retry } from "../../lib/retry.ts";
import type { Audience } from "../knowledge-access.ts";

/** Number of passages in one page: its item usually stays below 4,096 bytes, which costs four write units. */
const PAGE_SIZE = 160;
/** Number of pages in one partition, which one query reads: about 250 KB. */
const PARTITION_PAGES = 64;

/** Maximum number of attempts to change a page that is changed concurrently. */
const MAX_ATTEMPTS = 12;

/** Identifies the vectors of one audience in one embedding space. */
export interface VectorSet {
  readonly audience: Audience;
  readonly space: string;
  readonly codeBytes: number;
}

/** Code of a passage with the tag of its collection. */
export interface TaggedCode {
  readonly code: Uint8Array;
  readonly collectionTag: number;
}

/** Codes of consecutive passages. The code of an absent passage consists of zeros. */
export interface CodePage {
  /** Number of the first passage in the page. */
  readonly first: number;
  readonly codes: Uint8Array;
  /** Tag of each passage's collection; `ABSENT` for an absent passage. */
  readonly tags: Uint16Array;
}

/** Tag that marks an absent passage. */
export const ABSENT = 0;

/**
 * Returns the tag that is stored for a collection. 0 marks an absent passage, so a collection whose tag is 0 gets 65535, like
 * another collection.
 */
export const toStoredTag = (collectionTag: number): number => collectionTag || 0xffff;

const toKey = ({ tenantId }: TenantScope, { audience, space }: VectorSet, page: number) =>
  keys.vectorCodes(tenantId, audience, space, Math.floor(page / PARTITION_PAGES), page);

const asBytes = (value: unknown) => value as Uint8Array;

function readPage(item: Item): CodePage {
  return { first: Number(item.sk) * PAGE_SIZE, codes: asBytes(item.codes), tags: decodeTags(asBytes(item.tags)) };
}

/** Bytes of an encoded run of equal tags: two for the tag and one for the length of the run. */
const RUN_BYTES = 3;

/** Encodes the tags of a page as runs of equal tags, because neighboring passages mostly belong to the same collection. */
function encodeTags(tags: Uint16Array): Uint8Array {
  const bytes: number[] = [];
  for (let start = 0; start < tags.length; ) {
    const tag = tags[start] ?? ABSENT;
    let end = start + 1;
    while (end < tags.length && tags[end] === tag) end++;
    bytes.push(tag >>> 8, tag & 0xff, end - start);
    start = end;
  }
  return Uint8Array.from(bytes);
}

function decodeTags(bytes: Uint8Array): Uint16Array {
  const tags = new Uint16Array(PAGE_SIZE);
  let start = 0;
  for (let offset = 0; offset < bytes.length; offset += RUN_BYTES) {
    const [high = 0, low = 0, length = 0] = bytes.subarray(offset, offset + RUN_BYTES);
    tags.fill((high << 8) | low, start, start + length);
    start += length;
  }
  return tags;
}

/** Stores or removes the codes of passages in one page; null removes a code. Idempotent. */
async function changePage(
  scope: TenantScope,
  set: VectorSet,
  page: number,
  changes: readonly (readonly [passage: number, code: TaggedCode | null])[],
): Promise<void> {
  const key = toKey(scope, set, page);
  const item = await tenantTable(scope).get(key, { consistent: true });
  const current = item && readPage(item);
  const codes = new Uint8Array(PAGE_SIZE * set.codeBytes);
  const tags = new Uint16Array(PAGE_SIZE);
  if (current) {
    codes.set(current.codes.subarray(0, codes.length));
    tags.set(current.tags.subarray(0, PAGE_SIZE));
  }
  for (const [passage, change] of changes) {
    const slot = passage % PAGE_SIZE;
    codes.fill(0, slot * set.codeBytes, (slot + 1) * set.codeBytes);
    if (change) codes.set(change.code.subarray(0, set.codeBytes), slot * set.codeBytes);
    tags[slot] = change ? toStoredTag(change.collectionTag) : ABSENT;
  }
  const condition = unchanged(item, "version");
  const isEmpty = tags.every((tag) => tag === ABSENT);
  if (isEmpty && !item) return;
  const content = { codes, tags: encodeTags(tags), version: Number(item?.version ?? 0) + 1 };
  await tenantTable(scope).write(
    isEmpty ? { delete: key, condition } : { put: { ...key, discriminator: "vector-codes", ...content }, condition },
  );
}

/** Stores or removes the codes of passages; null removes a code. Idempotent. */
export async function changeCodes(
  scope: TenantScope,
  set: VectorSet,
  changes: ReadonlyMap<number, TaggedCode | null>,
): Promise<void> {
  const pages = Map.groupBy(changes, ([passage]) => Math.floor(passage / PAGE_SIZE));
  const isRetryable = (error: unknown) => error instanceof ConditionFailed;
  const change = ([page, ofPage]: [number, [number, TaggedCode | null][]]) =>
    retry(() => changePage(scope, set, page, ofPage), { maxAttempts: MAX_ATTEMPTS, isRetryable });
  await mapConcurrent([...pages], change, 8);
}

/**
 * Reads all pages of a set of vectors.
 * @param passages upper bound of the passage numbers
 */
export async function readCodePages(scope: TenantScope, set: VectorSet, passages: number): Promise<CodePage[]> {
  const partitions = Math.ceil(passages / (PAGE_SIZE * PARTITION_PAGES));
  const items = await mapConcurrent(
    Array.from({ length: partitions }, (_, partition) => toKey(scope, set, partition * PARTITION_PAGES).pk),
    (pk) => tenantTable(scope).query({ pk }),
    16,
  );
  return items.flat().map(readPage);
}

/**
 * Deletes all pages of a set of vectors.
 * @param passages upper bound of the passage numbers
 */
export async function deleteCodePages(scope: TenantScope, set: VectorSet, passages: number): Promise<void> {
  const partitions = Math.ceil(passages / (PAGE_SIZE * PARTITION_PAGES));
  for (let partition = 0; partition < partitions; partition++) {
    const { pk } = toKey(scope, set, partition * PARTITION_PAGES);
    await tenantTable(scope).deleteMany(await tenantTable(scope).query({ pk, consistent: true }));
  }
}
