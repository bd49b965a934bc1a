import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import {
  type CellTable,
  digestTenant,
  forEachItem,
  hashItem,
  ItemSetHash,
  keyOf,
  openCell,
  putCopies,
  type RawItem,
  removeItems,
  type TenantDigest,
} from "./tenant-items.ts";

/** Number of items that are written at a time. */
const PAGE_SIZE = 2_000;

/** First line of a file with a tenant's items. Each following line has one item, and the last line the digest. */
interface FileHeader {
  readonly format: "switchboard-tenant";
  readonly version: 1;
  readonly tenant: string;
}

const tenantKey = (tenant: string) => ({ pk: { S: `${tenant}#tenant` }, sk: { S: "tenant" } });

/**
 * Requires that the tenant is suspended, so that its items do not change during the copy.
 * @throws Error if it does not exist or is not suspended
 */
export async function requireSuspended(table: CellTable, tenant: string): Promise<void> {
  const { Item } = await openCell(table)("GetItem", {
    TableName: table.name,
    Key: tenantKey(tenant),
    ConsistentRead: true,
  });
  const item = Item as RawItem | undefined;
  if (!item) throw new Error(`The table has no tenant ${tenant}.`);
  if (item.suspended_at?.S === undefined) throw new Error(`Suspend the tenant ${tenant} first, or pass --force.`);
}

async function requireAbsent(table: CellTable, tenant: string): Promise<void> {
  const { count } = await digestTenant(table, tenant);
  if (count > 0) throw new Error(`The table already has ${count} items of the tenant ${tenant}.`);
}

function requireEqual(expected: TenantDigest, actual: TenantDigest): TenantDigest {
  if (actual.hash === expected.hash && actual.count === expected.count) return actual;
  throw new Error(
    `The copy has ${actual.count} items with the hash ${actual.hash}, not ${expected.count} with ${expected.hash}.`,
  );
}

/**
 * Writes all items of a tenant to a file, one item per line.
 * @returns number and hash of the items
 */
export async function exportTenant(table: CellTable, tenant: string, path: string): Promise<TenantDigest> {
  const file = createWriteStream(path, { mode: 0o600 });
  const header: FileHeader = { format: "switchboard-tenant", version: 1, tenant };
  const hash = new ItemSetHash();
  file.write(`${JSON.stringify(header)}\n`);
  await forEachItem(table, tenant, async (items) => {
    for (const item of items) {
      hash.add(item);
      if (!file.write(`${JSON.stringify(item)}\n`)) await once(file, "drain");
    }
  });
  const digest = { count: hash.count, hash: hash.digest };
  file.end(`${JSON.stringify({ digest })}\n`);
  await finished(file);
  return digest;
}

/**
 * Writes the items of a file to a table, and compares number and hash afterwards.
 * @throws Error if the table already has items of the tenant, the file is incomplete, or the hash differs
 */
export async function importTenant(table: CellTable, path: string, at: string): Promise<TenantDigest> {
  let [header, digest]: [FileHeader | undefined, TenantDigest | undefined] = [undefined, undefined];
  let page: RawItem[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const value = JSON.parse(line) as unknown;
    if (!header) {
      header = value as FileHeader;
      if (header.format !== "switchboard-tenant" || header.version !== 1)
        throw new Error("The file has another format.");
      await requireAbsent(table, header.tenant);
    } else if ("digest" in (value as object)) digest = (value as { digest: TenantDigest }).digest;
    else page.push(value as RawItem);
    if (page.length < PAGE_SIZE) continue;
    await putCopies(table, page, at);
    page = [];
  }
  if (!header || !digest) throw new Error("The file is not complete.");
  await putCopies(table, page, at);
  return requireEqual(digest, await digestTenant(table, header.tenant));
}

/**
 * Removes the items of a tenant with certain keys, and no later ones. Repeated while a scan finds some, because DynamoDB does not
 * promise that a scan returns every item of a table that changes at the same time.
 * @returns number of removed items
 */
async function removeKeys(
  table: CellTable,
  tenant: string,
  at: string,
  itemKeys: ReadonlySet<string>,
): Promise<number> {
  const left = new Set(itemKeys);
  for (let before = Number.POSITIVE_INFINITY; left.size > 0 && left.size < before; ) {
    before = left.size;
    await forEachItem(table, tenant, async (items) => {
      const found = items.filter((item) => left.delete(keyOf(item)));
      await removeItems(table, found, at);
    });
  }
  return itemKeys.size - left.size;
}

/**
 * Copies a tenant to the table of another cell.
 * @param removes true to remove the tenant from the first table after the copy was verified
 */
export async function moveTenant(
  from: CellTable,
  to: CellTable,
  tenant: string,
  { at, removes }: { readonly at: string; readonly removes: boolean },
): Promise<TenantDigest> {
  await requireAbsent(to, tenant);
  const before = await digestTenant(from, tenant);
  const copiedKeys = new Set<string>();
  await forEachItem(from, tenant, (items) => {
    for (const item of items) copiedKeys.add(keyOf(item));
    return putCopies(to, items, at);
  });
  const copied = requireEqual(before, await digestTenant(to, tenant));
  if (!removes) return copied;
  requireEqual(before, await digestTenant(from, tenant));
  await removeKeys(from, tenant, at, copiedKeys);
  return copied;
}

/** Numbers of items that a restore wrote and removed, and the digest of the result. */
interface RestoreResult extends TenantDigest {
  readonly restored: number;
  readonly removed: number;
}

/**
 * Restores the items of a tenant from a copy of the table, such as one of an earlier point in time. Writes items that differ
 * and removes items that the copy lacks. The item of the tenant itself comes last, because it can end the tenant's
 * suspension.
 */
export async function restoreTenant(
  table: CellTable,
  copy: CellTable,
  tenant: string,
  at: string,
): Promise<RestoreResult> {
  const expected = await digestTenant(copy, tenant);
  if (expected.count === 0) throw new Error(`The copy has no items of the tenant ${tenant}.`);
  const ownKey = keyOf(tenantKey(tenant));
  const isOwn = (item: RawItem) => keyOf(item) === ownKey;
  const own: RawItem[] = [];
  const current = new Map<string, string>();
  await forEachItem(table, tenant, (items) => {
    for (const item of items) current.set(keyOf(item), hashItem(item));
  });
  let restored = 0;
  const inCopy = new Set<string>();
  await forEachItem(copy, tenant, async (items) => {
    for (const item of items) inCopy.add(keyOf(item));
    const changed = items.filter((item) => current.get(keyOf(item)) !== hashItem(item));
    restored += changed.length;
    own.push(...changed.filter(isOwn));
    await putCopies(
      table,
      changed.filter((item) => !isOwn(item)),
      at,
    );
  });
  const later = new Set([...current.keys()].filter((key) => !inCopy.has(key)));
  const removed = await removeKeys(table, tenant, at, later);
  const others = (cell: CellTable) => digestTenant(cell, tenant, (item) => !isOwn(item));
  requireEqual(await others(copy), await others(table));
  await putCopies(table, own, at);
  return { ...expected, restored, removed };
}
