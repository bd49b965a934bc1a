import { createHash } from "node:crypto";
import { copyMark, removalMark } from "../../../shared/changes/copied-items.ts";
import { MAX_BATCH_WRITES } from "../../../shared/dynamodb/table-layout.ts";
import { awsJsonClient } from "../../../shared/lib/aws/aws-client.ts";
import { retryRest } from "../../../shared/lib/retry.ts";

/** Value of an attribute in DynamoDB's own form, in which numbers and bytes keep their exact text. */
export type RawValue = Readonly<Record<string, unknown>>;

/** Item in DynamoDB's own form. */
export type RawItem = Readonly<Record<string, RawValue>>;

export interface CellTable {
  readonly name: string;
  /** Region of the table; by default that of the environment. */
  readonly region?: string | undefined;
}

/** Segments of a scan that are read concurrently, and batches that are written concurrently. */
const [SCAN_SEGMENTS, WRITE_CONCURRENCY] = [8, 8];

const textOf = (value: RawValue | undefined): string => String(value?.S ?? "");

/** Returns a text that identifies an item within its table. */
export const keyOf = ({ pk, sk }: RawItem): string => `${textOf(pk)}\n${textOf(sk)}`;

/** Opens a table for calls in DynamoDB's own form. */
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
 * Scans a table for the items of a tenant: those in its partitions, and its look-ups, which name it. A scan reads the whole table,
 * because keys contain ids that only other items know.
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

/** Returns a value whose attributes have an order of their own, because DynamoDB promises none for maps and sets. */
function sorted(value: unknown, isSet = false): unknown {
  if (Array.isArray(value)) return isSet ? value.toSorted() : value.map((each) => sorted(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each, /^[SNB]S$/.test(name))]));
}

/** Returns the SHA-256 of an item, without the mark of a copy. */
export function hashItem({ copied_at: _, ...item }: RawItem): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(item)))
    .digest("hex");
}

/** Hash of a set of items, in any order: the sum of their hashes. */
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

/** Computes the number and the hash of a tenant's items, by default of all. */
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

/** Stores items as copies, which processors ignore. */
export async function putCopies(table: CellTable, items: readonly RawItem[], at: string): Promise<void> {
  const copied_at = { S: copyMark(at) };
  await writeAll(
    table,
    items.map((item) => ({ PutRequest: { Item: { ...item, copied_at } } })),
  );
}

/** Removes items. Marks them first, so that stream processors ignore the deletion. */
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
