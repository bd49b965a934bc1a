import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { type Source, SyncDriver, sha256Hex, toEntries } from "#test/support/knowledge/sync-source.ts";

async function createCollection(client: Client): Promise<string> {
  const { body } = await client.post("/v1/knowledge/collections", { name: crypto.randomUUID(), readers: ["tenant"] });
  return `/v1/knowledge/collections/${body.id}`;
}

/** Returns the titles that a search finds, in alphabetical order. */
async function search(client: Client, words: string): Promise<string[]> {
  const { body } = await client.get(`/v1/knowledge/search?limit=20&q=${encodeURIComponent(words)}`);
  return body.results.map(({ title }: { title: string }) => title).sort();
}

const harbor: Source = {
  "guide/harbor.md": "The harbor opens at seven.",
  "guide/ferry.md": "The ferry leaves the harbor at nine.",
  "pilots.txt": "Pilots meet at the harbor office.",
};

it("sync of a collection adds, changes, moves and removes documents, and shows them when it is completed", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const driver = new SyncDriver(client, collection);
  expect(await driver.compare(harbor)).toEqual({
    missing: expect.arrayContaining(Object.keys(harbor)),
    changed: [],
    removed: [],
  });
  await driver.stage(harbor, Object.keys(harbor));
  expect(await search(client, "harbor")).toEqual([]);
  expect((await driver.complete()).body).toMatchObject({ status: "applying", files: 3, added: 3 });
  expect(await driver.settled()).toMatchObject({ status: "completed", added: 3, removed: 0, failed: 0, failures: [] });
  expect(await search(client, "harbor")).toEqual(["ferry", "harbor", "pilots"]);
  const { documents } = (await client.get(`${collection}/documents`)).body;
  expect(documents.map(({ status }: { status: string }) => status)).toEqual(["ready", "ready", "ready"]);
  const ids = new Map(documents.map(({ title, id }: { title: string; id: string }) => [title, id]));

  const changed: Source = {
    "old/harbor.md": "The harbor opens at seven.",
    "guide/ferry.md": "The ferry leaves the harbor at noon.",
    "new.txt": "A new harbor is planned.",
  };
  const second = new SyncDriver(client, collection);
  const { sync, staged } = await second.run(changed, { confirm: true });
  expect(sync).toMatchObject({ added: 1, changed: 1, moved: 1, removed: 1 });
  expect(
    staged
      .filter(({ upload }) => upload)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(["guide/ferry.md", "new.txt"]);
  expect(await search(client, "harbor")).toEqual(["ferry", "harbor", "new"]);
  expect(await search(client, "noon")).toEqual(["ferry"]);
  const after = (await client.get(`${collection}/documents`)).body.documents;
  expect(after.find(({ title }: { title: string }) => title === "harbor")).toMatchObject({
    id: ids.get("harbor"),
    metadata: { path: "old/harbor.md" },
    version: 1,
  });
  expect(after.find(({ title }: { title: string }) => title === "ferry")).toMatchObject({
    id: ids.get("ferry"),
    version: 2,
  });
  expect((await client.get(collection)).body.document_count).toBe(3);
});

it("sync without differences is completed at once", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  await new SyncDriver(client, collection).run(harbor);
  const driver = new SyncDriver(client, collection);
  expect(await driver.compare(harbor)).toEqual({ missing: [], changed: [], removed: [] });
  expect((await driver.complete()).body).toMatchObject({ status: "completed", files: 3, added: 0 });
});

it("sync refuses to remove more than a fifth of the documents without confirmation", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  await new SyncDriver(client, collection).run(harbor);
  const driver = new SyncDriver(client, collection);
  const { "pilots.txt": _, ...rest } = harbor;
  expect((await driver.compare(rest)).removed).toEqual(["pilots.txt"]);
  const { status, body } = await driver.complete();
  expect([status, body.removed, body.documents]).toEqual([409, 1, 3]);
  expect(await search(client, "pilots")).toEqual(["pilots"]);
  expect((await driver.complete(true)).status).toBe(200);
  expect(await driver.settled()).toMatchObject({ removed: 1 });
  expect(await search(client, "pilots")).toEqual([]);
});

it("sync is refused with the id and the start of another one that is in progress, and continued with its id", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const first = new SyncDriver(client, collection);
  await first.compare(harbor);
  const { status, body } = await new SyncDriver(client, collection).put({ entries: [], is_last: true });
  expect([status, body.sync]).toEqual([409, { id: first.syncId, started_at: expect.any(String) }]);
  const { "pilots.txt": _, ...rest } = harbor;
  await first.stage(rest, ["guide/harbor.md"]);
  await first.stage(rest, ["guide/ferry.md"], { uploads: false });
  const resumed = new SyncDriver(client, collection, first.syncId);
  const { missing, changed } = await resumed.compare(rest);
  expect([missing, changed.includes("guide/ferry.md")]).toEqual([[], true]);
  expect(await resumed.stage(rest, changed)).toContainEqual(
    expect.objectContaining({ path: "guide/ferry.md", change: "none", upload: expect.anything() }),
  );
  await resumed.complete();
  await resumed.settled();
  expect(await search(client, "harbor")).toEqual(["ferry", "harbor"]);
});

it("readers of synced files hold for searches, and change with the sync", async () => {
  const client = new Client();
  const colleague = new Client({ ...newIdentity("member"), tenant: client.identity.tenant });
  const other = new Client({ ...newIdentity("member"), tenant: client.identity.tenant });
  const [me, them] = [(await colleague.get("/v1/me")).body, (await other.get("/v1/me")).body];
  const collection = await createCollection(client);
  const withReaders = (readers: string[] | null): Source => ({
    ...harbor,
    "salaries.txt": { text: "Salaries of the harbor.", readers },
  });
  const found = async () => [await search(colleague, "salaries"), await search(other, "salaries")];
  await new SyncDriver(client, collection).run(withReaders([`user:${me.user_id}`]));
  expect(await found()).toEqual([["salaries"], []]);
  const driver = new SyncDriver(client, collection);
  const source = withReaders([`user:${them.user_id}`]);
  const { changed } = await driver.compare(source);
  expect(changed).toEqual(["salaries.txt"]);
  expect(await driver.stage(source, changed)).toMatchObject([{ change: "changed", upload: null }]);
  expect(await found()).toEqual([["salaries"], []]);
  await driver.complete();
  await driver.settled();
  expect(await found()).toEqual([[], ["salaries"]]);
});

it("sync is for the owner of the collection and administrators", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const colleague = new Client({ ...newIdentity("member"), tenant: client.identity.tenant });
  expect((await colleague.put(`${collection}/sync`, { entries: [], is_last: true })).status).toBe(403);
  expect((await colleague.get(`${collection}/sync`)).status).toBe(403);
  expect((await client.get(`${collection}/sync`)).status).toBe(404);
});

it("sync without differences counts and names documents that an earlier sync could not read, until they are replaced", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const broken = { "a.docx": "No archive.", "b.pdf": "No pages.", "c.docx": "No archive, either." };
  const source: Source = { ...harbor, ...broken };
  const driver = new SyncDriver(client, collection);
  const failuresOf = ({ failed, failures }: { failed: number; failures: { path: string }[] }) => [
    failed,
    failures.map(({ path }) => path).sort(),
  ];
  const first = (await driver.run(source)).sync;
  expect(failuresOf(first)).toEqual([3, Object.keys(broken)]);
  const unchanged = new SyncDriver(client, collection);
  expect(await unchanged.compare(source, 1)).toEqual({ missing: [], changed: [], removed: [] });
  const [{ path = "" } = {}, ...others] = toEntries(source);
  const page = { sync_id: unchanged.syncId, after: null, entries: toEntries(source).slice(0, 1) };
  expect((await unchanged.put(page)).status).toBe(200);
  // The client sends the last page again when its reply was lost.
  const lastPage = { ...page, after: sha256Hex(path), entries: others, is_last: true };
  for (const body of [lastPage, lastPage]) expect((await unchanged.put(body)).status).toBe(200);
  const { body: second } = await unchanged.complete();
  expect([second.status, ...failuresOf(second)]).toEqual(["completed", 3, Object.keys(broken)]);
  expect(second.failures).toEqual(expect.arrayContaining(first.failures));
  expect(failuresOf(await unchanged.get())).toEqual(failuresOf(second));

  const replaced = first.failures.find(({ path }: { path: string }) => path === "a.docx").document_id;
  const document = { title: "a", text: "Words.", media_type: "text/plain" };
  expect((await client.put(`${collection}/documents/${replaced}`, document)).status).toBe(200);
  const third = (await driver.run({ ...source, "c.docx": "Still no archive." })).sync;
  expect(failuresOf(third)).toEqual([2, ["b.pdf", "c.docx"]]);
  const fourth = (await driver.run({ ...harbor, "b.pdf": "No pages." }, { confirm: true })).sync;
  expect(failuresOf(fourth)).toEqual([1, ["b.pdf"]]);
});
