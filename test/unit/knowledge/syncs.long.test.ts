import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { compareManifest } from "#shared/knowledge/syncs/compare-page.ts";
import { completeSync } from "#shared/knowledge/syncs/complete-sync.ts";
import { entryWrite, toPathKey } from "#shared/knowledge/syncs/sync-entries.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { addCollection } from "#test/support/knowledge/add-readable-document.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const FILES = sized({ usual: 2_500, full: 20_000, soak: 100_000 });
const PAGE = 1_000;

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

const scope = { tenantId: "synced", userId: "owner" };

const toEntry = (path: string, hash = toPathKey(`content of ${path}`)) => ({
  ...{ path, hash, size: 100, uri: null, readers: null },
});

type Entry = ReturnType<typeof toEntry>;

const inOrder = (entries: readonly Entry[]) =>
  entries.map((entry) => ({ entry, key: toPathKey(entry.path) })).sort((one, other) => (one.key < other.key ? -1 : 1));

/** Compares a manifest page by page, in a sync if an id is given or none is in progress. */
async function compareAll(collection: Awaited<ReturnType<typeof addCollection>>, entries: readonly Entry[]) {
  const ordered = inOrder(entries);
  const result = { sync_id: undefined as string | undefined, missing: 0, changed: 0, removed: 0, requests: 0 };
  for (let after: string | null = null, isDone = false; !isDone; ) {
    const rest = ordered.filter(({ key }) => after === null || key > after);
    const page = rest.slice(0, PAGE).map(({ entry }) => entry);
    const body = {
      after,
      entries: page,
      is_last: page.length === rest.length,
      dry_run: false,
      sync_id: result.sync_id,
    };
    const reply = await compareManifest(scope, collection, body);
    result.sync_id = reply.sync?.id;
    result.missing += reply.missing.length;
    result.changed += reply.changed.length;
    result.removed += reply.removed.length;
    result.requests += 1;
    after = reply.cursor;
    isDone = after === null;
  }
  return result;
}

const complete = async (id: string, sync_id: string | undefined, confirm = false) =>
  completeSync(scope, id, { sync_id: sync_id ?? "", confirm });

it(`comparison of ${FILES} files without differences writes only the record of the sync, and reads what the guide states`, async () => {
  const collection = await addCollection(scope, scope.userId, ["tenant"]);
  const entries = Array.from({ length: FILES }, (_, index) => toEntry(`folder-${index % 40}/document-${index}.md`));
  await mapConcurrent(entries, (entry) => {
    const write = entryWrite(scope, { id: crypto.randomUUID(), collection_id: collection.id }, entry);
    if (!("put" in write)) throw new Error("The write is no put");
    const { pending: _, ...put } = write.put;
    return tenantTable(scope).write({ put: put as typeof write.put });
  });
  let same = { requests: 0 };
  const units = await table.measure(async () => {
    const compared = await compareAll(collection, entries);
    same = compared;
    expect(compared).toMatchObject({ missing: 0, changed: 0, removed: 0 });
    expect(await complete(collection.id, compared.sync_id)).toMatchObject({ status: "completed", files: FILES });
  });
  console.info(`${FILES} files: ${units.read} read and ${units.written} write units in ${same.requests} requests`);
  expect(same.requests).toBe(Math.ceil(FILES / PAGE));
  // A page writes the record once, and so does the completion.
  expect(units.written).toBeLessThanOrEqual(same.requests + 1);
  expect(units.read / (FILES / 1_000)).toBeLessThan(100);

  // A source that is suddenly empty is compared in bounded requests, and is not believed.
  const emptied = await compareAll(collection, []);
  expect(emptied.removed).toBe(FILES);
  expect(emptied.requests).toBeGreaterThan(FILES / 2_001);
  await expect(complete(collection.id, emptied.sync_id)).rejects.toMatchObject({
    code: "conflict",
    details: { removed: FILES, documents: FILES },
  });
  // Another comparison forgets what was marked as removed.
  const body = { after: null, entries: [], is_last: true, dry_run: false };
  await expect(compareManifest(scope, collection, body)).rejects.toMatchObject({
    details: { sync: { id: emptied.sync_id } },
  });
  vi.setSystemTime(Date.now() + 16 * 60_000);
  expect(await compareAll(collection, entries)).toMatchObject({ missing: 0, changed: 0, removed: 0 });
  vi.useRealTimers();
  expect((await table.scan()).filter(({ sk }) => String(sk).startsWith("sync-removal#"))).toEqual([]);
});

it("page of a manifest is refused when its paths are not in order or it continues nothing", async () => {
  const collection = await addCollection(scope, scope.userId, []);
  const [one, other] = inOrder([toEntry("a"), toEntry("b")]).map(({ entry }) => entry) as [Entry, Entry];
  const page = (changes: object) =>
    compareManifest(scope, collection, {
      after: null,
      entries: [one, other],
      is_last: true,
      dry_run: false,
      ...changes,
    });
  await expect(page({ entries: [other, one] })).rejects.toMatchObject({ errors: [{ code: "wrong_order" }] });
  await expect(page({ entries: [one, one] })).rejects.toMatchObject({ errors: [{ code: "wrong_order" }] });
  await expect(page({ entries: [], is_last: false })).rejects.toMatchObject({ errors: [{ path: "entries" }] });
  const first = await page({ entries: [one], is_last: false });
  const sync_id = first.sync?.id;
  await expect(page({ sync_id, after: toPathKey("c") })).rejects.toMatchObject({ details: { cursor: first.cursor } });
  const last = { sync_id, after: first.cursor, entries: [other] };
  expect((await page(last)).sync).toMatchObject({ files: 2 });
  // The reply was lost, so that the client sends the page again.
  expect((await page(last)).sync).toMatchObject({ files: 2 });
});

it("comparison reads one unit more for each unchanged file that failed, and nothing for others", async () => {
  const collection = await addCollection(scope, scope.userId, ["tenant"]);
  const entries = Array.from({ length: 50 }, (_, index) => toEntry(`failed-${index}.pdf`));
  const measure = async (failed: number) => {
    await mapConcurrent([...entries.entries()], ([index, entry]) => {
      const write = entryWrite(scope, { id: crypto.randomUUID(), collection_id: collection.id }, entry);
      if (!("put" in write)) throw new Error("The write is no put");
      const { pending: _, ...put } = write.put;
      const isFailed = index < failed;
      return tenantTable(scope).write({ put: { ...(put as typeof write.put), ...(isFailed && { failed: true }) } });
    });
    const body = { after: null, entries: inOrder(entries).map(({ entry }) => entry), is_last: true, dry_run: true };
    return table.measure(async () => void (await compareManifest(scope, collection, body)));
  };
  const none = await measure(0);
  const some = await measure(7);
  expect([some.read - none.read, some.written]).toEqual([7, 0]);
});
