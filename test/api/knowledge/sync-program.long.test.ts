import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

const FILES = sized({ usual: 20, full: 300, soak: 2_000 });
const KILLS = sized({ usual: 4, full: 20 });

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sync-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
}

/** Writes files of a generation, which each of them names. */
async function writeFiles(generation: string, count = FILES): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await write(
      `part${index % 10}/ledger-${index}.txt`,
      `Ledger entry of the harbor, number ${index}, in ${generation}.`,
    );
  }
}

interface Outcome {
  readonly code: number | null;
  readonly log: string;
}

/** Runs the program, and kills it after a time if one is given. */
async function sync(key: Client, args: readonly string[], options: { killAfterMs?: number; input?: string } = {}) {
  const environment = {
    ...process.env,
    SWITCHBOARD_URL: key.baseUrl,
    SWITCHBOARD_API_KEY: String(key.headers.authorization).replace("Bearer ", ""),
  };
  const child = spawn(process.execPath, ["infra/sync/main.ts", ...args], { env: environment });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  child.stdin.end(options.input ?? "");
  const killer =
    options.killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), options.killAfterMs);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(killer);
  return { code, log } satisfies Outcome;
}

const createKey = (client: Client) => createKeyClient(client, { preset: "knowledge_sync" });

interface Hit {
  readonly document_id: string;
  readonly title: string;
  readonly snippet: string;
}

async function search(client: Client, words: string): Promise<Hit[]> {
  const { body } = await client.get(`/v1/knowledge/search?limit=20&q=${encodeURIComponent(words)}`);
  return body.results;
}

const generationsOf = (hits: readonly Hit[]) => [...new Set(hits.map(({ snippet }) => /gen\w+/.exec(snippet)?.[0]))];

/** Returns the paths and texts of all documents that can be found, by their metadata. */
async function readDocuments(client: Client, collection: string) {
  const paths: string[] = [];
  let cursor = "";
  do {
    const { body } = await client.get(`/v1/knowledge/collections/${collection}/documents?limit=100${cursor}`);
    for (const { status, stage, metadata, indexed_version, version } of body.documents) {
      expect([status, stage, indexed_version]).toEqual(["ready", null, version]);
      paths.push(metadata.path);
    }
    cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  return paths.sort();
}

const findCollection = async (client: Client) =>
  (await client.get("/v1/knowledge/collections")).body.collections[0].id as string;

it("sync program makes a collection the same as a folder, also when it is killed, and answers never see a half of it", async () => {
  const client = new Client();
  const key = await createKey(client);
  const args = ["folder", directory, "--collection", "Ledger", "--create", "tenant"];
  await writeFiles("gen0");
  const first = await sync(key, args);
  expect(first).toMatchObject({ code: 0, log: expect.stringContaining(`completed: ${FILES} added`) });
  const collection = await findCollection(client);
  const ids = (await search(client, "ledger entry")).map(({ document_id }) => document_id);
  expect(ids.length).toBe(Math.min(20, FILES));

  const unchanged = await sync(key, args);
  expect(unchanged).toMatchObject({ code: 0, log: expect.stringContaining("0 new, 0 changed, 0 moved, 0 removed") });

  let isDone = false;
  const seen: unknown[] = [];
  const watch = (async () => {
    while (!isDone) {
      const hits = await search(client, "ledger entry");
      seen.push([generationsOf(hits).length, hits.length]);
      await sleep(50);
    }
  })();
  await writeFiles("gen1");
  const random = seededRandom(7);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sync(key, [...args, "--resume"], { killAfterMs: 150 + random() * 1_500 });
  }
  const last = await sync(key, [...args, "--resume"]);
  expect(last).toMatchObject({ code: 0, log: expect.stringContaining("completed") });
  isDone = true;
  await watch;
  expect(generationsOf(await search(client, "ledger entry"))).toEqual(["gen1"]);
  expect(seen.filter((each) => JSON.stringify(each) !== JSON.stringify([1, Math.min(20, FILES)]))).toEqual([]);
  console.log(`searches during the sync: ${seen.length}`);
  expect(await readDocuments(client, collection)).toHaveLength(FILES);
  expect((await search(client, "ledger entry")).map(({ document_id }) => document_id).sort()).toEqual(ids.sort());

  await rename(join(directory, "part3"), join(directory, "archive"));
  const moved = await sync(key, args);
  expect(moved).toMatchObject({
    code: 0,
    log: expect.stringContaining(`0 added, 0 changed, ${FILES / 10} moved, 0 removed`),
  });

  for (const part of ["archive", "part0", "part1", "part2", "part4"])
    await rm(join(directory, part), { recursive: true });
  expect(await sync(key, args)).toMatchObject({
    code: 3,
    log: expect.stringContaining(`remove ${FILES / 2} of ${FILES}`),
  });
  expect(await readDocuments(client, collection)).toHaveLength(FILES);
  expect((await sync(key, [...args, "--resume", "--confirm"])).code).toBe(0);
  const paths = await readDocuments(client, collection);
  expect([paths.length, paths.filter((path) => !/^part[5-9]\//.test(path))]).toEqual([FILES / 2, []]);
});

it("sync program names documents that cannot be read in each run until the source has another content, also with --quiet", async () => {
  const client = new Client();
  const key = await createKey(client);
  const args = ["folder", directory, "--collection", "Broken", "--create", "tenant", "--quiet"];
  for (let index = 0; index < 22; index += 1) await write(`broken-${index}.docx`, `No archive, ${index}.`);
  await write("words.txt", "Words of the harbor.");
  const first = await sync(key, args);
  expect(first).toMatchObject({ code: 1, log: expect.stringMatching(/^22 documents could not be read/) });
  const second = await sync(key, args);
  expect(second.code).toBe(1);
  const [head, ...lines] = second.log.trimEnd().split("\n");
  expect(head).toBe("22 documents could not be read, of which the first 20 are named:");
  expect(lines).toHaveLength(20);
  expect(lines.filter((line) => !/^failed: broken-\d+\.docx: ./.test(line))).toEqual([]);
  for (let index = 0; index < 21; index += 1) await write(`broken-${index}.docx`, "");
  for (let index = 0; index < 21; index += 1) await write(`fixed-${index}.txt`, `Words, ${index}.`);
  const third = await sync(key, [...args, "--confirm"]);
  expect(third).toMatchObject({
    code: 1,
    log: expect.stringMatching(/^1 document could not be read:\nfailed: broken-21/),
  });
  await write("broken-21.docx", "");
  expect(await sync(key, [...args, "--confirm"])).toEqual({ code: 0, log: "" });
});

it("sync program gives files the readers that lines, front matter and rules name", async () => {
  const client = new Client();
  const members = ["hr", "other"].map((name) => ({
    ...client.identity,
    user: `${name}-${crypto.randomUUID()}`,
    roles: "member",
  }));
  const [hr, other] = members.map((identity) => new Client(identity)) as [Client, Client];
  const [{ body: me }] = await Promise.all([hr.get("/v1/me"), other.get("/v1/me")]);
  await client.post("/v1/groups", { name: "HR", member_ids: [me.user_id] });
  const key = await createKey(client);
  const lines = [
    { path: "a/lines.txt", text: "Harbor of lines.", readers: ["group:HR"] },
    { path: "a/matter.md", text: "---\nreaders: [group:HR]\n---\nHarbor of matter." },
    { path: "hr/rules.txt", text: "Harbor of rules." },
    { path: "hr/public/all.txt", text: "Harbor of all." },
    { path: "program.exe", text: "Harbor of machines." },
    { path: "empty.txt", text: "" },
  ];
  const args = ["stdin", "--collection", "Lines", "--create", "tenant"];
  args.push("--readers", "hr/**=group:HR", "--readers", "hr/public/**=collection");
  const input = lines.map((line) => JSON.stringify(line)).join("\n");
  const dry = await sync(key, [...args, "--dry-run"], { input });
  expect([dry.code, dry.log.includes("6 new, 0 changed")]).toEqual([0, true]);
  const { code, log } = await sync(key, args, { input });
  expect([code, log.includes("program.exe: unsupported"), log.includes("empty.txt: empty")]).toEqual([0, true, true]);
  const titles = async (reader: Client) => (await search(reader, "harbor")).map(({ title }) => title).sort();
  expect(await titles(hr)).toEqual(["all", "lines", "matter", "rules"]);
  expect(await titles(other)).toEqual(["all"]);
  const wrong = await sync(key, ["stdin", "--collection", "Lines", "--readers", "**=group:None"], { input });
  expect(wrong).toEqual({ code: 2, log: expect.stringContaining("does not exist") });
  expect((await sync(key, ["folder"])).code).toBe(2);
  const missing = JSON.stringify({ path: "gone.txt", file: join(directory, "gone.txt") });
  expect(await sync(key, args, { input: missing })).toMatchObject({
    code: 1,
    log: expect.stringContaining("failed: gone.txt"),
  });
});
