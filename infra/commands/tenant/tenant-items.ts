import { createHash } from "node:crypto";
import { copyMark, removalMark } from "../../../shared/changes/copied-items.ts";
import { MAX_BATCH_WRITES } from "../../../shared/dynamodb/table-layout.ts";
import { awsJsonClient } from "../../../shared/lib/aws/aws-client.ts";
import { retryRest } from "../../../shared/lib/retry.ts";

/** Attribute value in DynamoDB's wire format, which keeps the exact text of numbers and bytes. */
export type RawValue = Readonly<Record<string, unknown>>;

/** Item in DynamoDB's wire format. */
export type RawItem = Readonly<Record<string, RawValue>>;

export interface CellTable {
  readonly name: string;
  /** Region of the table; by default the region in the environment. */
  readonly region?: string | undefined;
}

/** Number of segments that a scan reads concurrently, and of batches that are written concurrently. */
const [SCAN_SEGMENTS, WRITE_CONCURRENCY] = [8, 8];

const textOf = (value: RawValue | undefined): string => String(value?.S ?? "");

/** Returns the key of an item as one text, for use in a `Map`. */
export const keyOf = ({ pk, sk }: RawItem): string => `${textOf(pk)}\n${textOf(sk)}`;

/** Returns a function that calls operations of DynamoDB in wire format. */
export function openCell({ region }: CellTable) {
  const call = awsJsonClient("DynamoDB_20120810", {
    environmentName: "DYNAMODB",
    hostPrefix: "dynamodb",
    signingName: "dynamodb",
    region,
    timeoutMs: 30_000,
    maxAttempts: 8,
  });
  return (operation: string, input: object) => call(operation, JSON.stringify(input));
}

/**
 * Scans a table for the items of a tenant: those in its partitions, and lookups that name it. Reads the whole table, because
 * some keys contain ids that only other items name.
 */
export async function forEachItem(
  table: CellTable,
  tenant: string,
  apply: (items: readonly RawItem[]) => Promise<void> | void,
): Promise<void> {
  const call = openCell(table);
  const scanSegment = async (Segment: number) => {
    for (let ExclusiveStartKey: unknown; ; ) {
      const page = await call("Scan", {
        TableName: table.name,
        Segment,
        TotalSegments: SCAN_SEGMENTS,
        ConsistentRead: true,
        FilterExpression: "begins_with(pk, :own) OR (begins_with(pk, :lookup) AND tenant_id = :tenant)",
        ExpressionAttributeValues: { ":own": { S: `${tenant}#` }, ":lookup": { S: "~" }, ":tenant": { S: tenant } },
        ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }),
      });
      await apply((page.Items ?? []) as RawItem[]);
      ExclusiveStartKey = page.LastEvaluatedKey;
      if (ExclusiveStartKey === undefined) return;
    }
  };
  await Promise.all(Array.from({ length: SCAN_SEGMENTS }, (_, segment) => scanSegment(segment)));
}

/** Returns a value with sorted attributes and set members, because DynamoDB does not define their order. */
function sorted(value: unknown, isSet = false): unknown {
  if (Array.isArray(value)) return isSet ? value.toSorted() : value.map((each) => sorted(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each, /^[SNB]S$/.test(name))]));
}

/** Returns the SHA-256 hash of an item without `copied_at`, which differs between original and copy. */
export function hashItem({ copied_at: _, ...item }: RawItem): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(item)))
    .digest("hex");
}

/** Hash of a set of items that does not depend on their order: the sum of the hashes of the items. */
export class ItemSetHash {
  #sum = 0n;
  count = 0;

  add(item: RawItem): void {
    this.#sum = (this.#sum + BigInt(`0x${hashItem(item)}`)) % (1n << 256n);
    this.count++;
  }

  get digest(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}

export interface TenantDigest {
  readonly count: number;
  readonly hash: string;
}

/** Computes the number and the hash of a tenant's items. */
export async function digestTenant(
  table: CellTable,
  tenant: string,
  isIncluded: (item: RawItem) => boolean = () => true,
): Promise<TenantDigest> {
  const hash = new ItemSetHash();
  await forEachItem(table, tenant, (items) => {
    for (const item of items.filter(isIncluded)) hash.add(item);
  });
  return { count: hash.count, hash: hash.digest };
}

type WriteRequest = { readonly PutRequest: object } | { readonly DeleteRequest: object };

const writeBatch = (table: CellTable, call: ReturnType<typeof openCell>, batch: readonly WriteRequest[]) =>
  retryRest(batch, async (pending) => {
    const { UnprocessedItems } = await call("BatchWriteItem", { RequestItems: { [table.name]: pending } });
    return (UnprocessedItems as Record<string, WriteRequest[]> | undefined)?.[table.name] ?? [];
  });

async function writeAll(table: CellTable, requests: readonly WriteRequest[]): Promise<void> {
  const call = openCell(table);
  const batches = Array.from({ length: Math.ceil(requests.length / MAX_BATCH_WRITES) }, (_, index) =>
    requests.slice(index * MAX_BATCH_WRITES, (index + 1) * MAX_BATCH_WRITES),
  );
  const writeNext = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await writeBatch(table, call, batch);
  };
  await Promise.all(Array.from({ length: WRITE_CONCURRENCY }, writeNext));
}

/** Writes items with `copied_at`, so that stream processors ignore them. */
export async function putCopies(table: CellTable, items: readonly RawItem[], at: string): Promise<void> {
  const copied_at = { S: copyMark(at) };
  await writeAll(
    table,
    items.map((item) => ({ PutRequest: { Item: { ...item, copied_at } } })),
  );
}

/** Removes items. Sets `copied_at` first, so that stream processors ignore the deletion. */
export async function removeItems(table: CellTable, items: readonly RawItem[], at: string): Promise<void> {
  const copied_at = { S: removalMark(at) };
  await writeAll(
    table,
    items.map((item) => ({ PutRequest: { Item: { ...item, copied_at } } })),
  );
  await writeAll(
    table,
    items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
  );
}
