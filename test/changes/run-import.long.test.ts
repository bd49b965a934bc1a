import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { failureWrite } from "#shared/knowledge/document-state.ts";
import { deleteDocument, findDocuments } from "#shared/knowledge/document-store.ts";
import { failImport } from "#shared/knowledge/imports/fail-import.ts";
import { ImportError } from "#shared/knowledge/imports/fetch-public.ts";
import { cancelWrites, deleteImports, newImportWrites, restartWrites } from "#shared/knowledge/imports/import-runs.ts";
import {
  findImport,
  type ImportJob,
  type ImportRef,
  newImport,
  type StoredImport,
} from "#shared/knowledge/imports/import-store.ts";
import type { Fetch } from "#shared/knowledge/imports/polite-fetcher.ts";
import { runImport } from "#shared/knowledge/imports/run-import.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const stored = vi.hoisted(() => new Map<string, string>());
vi.mock("#shared/lib/aws/s3.ts", () => ({
  putObject: async ({ key }: { key: string }, content: Uint8Array) =>
    void stored.set(key, Buffer.from(content).toString()),
}));

const killCount = sized({ usual: 12, full: 60, soak: 500 });

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
  vi.stubEnv("UPLOAD_BUCKET", "bucket");
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});
beforeEach(() => stored.clear());
afterAll(() => {
  vi.unstubAllEnvs();
  return table.stop();
});

const site = "https://www.example.com";

/** Fetch function that records the requested addresses. */
type RecordingFetch = Fetch & { readonly requests: string[] };

/** Returns a function that fetches from the given pages. Requests for a page that is null fail; `>` redirects. */
function fetchFrom(pages: Readonly<Record<string, string | null>>): RecordingFetch {
  const requests: string[] = [];
  const fetch: Fetch = async (url, options) => {
    await options?.authorize?.(new URL(url));
    requests.push(url);
    const content = pages[url];
    if (content === null) throw new ImportError("unreachable");
    if (content?.startsWith(">")) return fetch(content.slice(1), options);
    const status = content === undefined ? 404 : 200;
    return { url, status, contentType: "text/html", content: Buffer.from(content ?? "") };
  };
  return Object.assign(fetch, { requests });
}

const getImport = async (scope: TenantScope, ref: ImportRef) => (await findImport(scope, ref)) as StoredImport;

type Fields = Partial<Pick<StoredImport, "url" | "kind" | "max_pages" | "refresh_hours">>;
type Job = ImportJob & { readonly run: number };

async function createImport(fields: Fields, tenantId = "imports"): Promise<Job> {
  const scope = { tenantId };
  const collection = newCollection("u", { name: crypto.randomUUID(), description: "", readers: ["tenant"] });
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  const defaults = { url: `${site}/a`, kind: "page", max_pages: 2, refresh_hours: null } as const;
  const created = newImport(collection.id, "u", { ...defaults, ...fields });
  await tenantTable(scope).transact(newImportWrites(scope, created));
  return { tenantId, id: created.id, collection_id: collection.id, run: 1 };
}

/** Processes the jobs of a run, each of which processes one page, until the last one. */
async function runAll(job: ImportJob, fetch: Fetch): Promise<void> {
  for (let isScheduled = true; isScheduled; ) {
    isScheduled = false;
    const schedule = async () => {
      isScheduled = true;
    };
    await runImport(job, { fetch, schedule, maxJobMs: 1 });
  }
}

/** Starts the next run of an import. */
async function restart(job: Job): Promise<Job> {
  const [restarted, ...writes] = restartWrites(job, await getImport(job, job));
  await tenantTable(job).transact(writes);
  return { ...job, run: restarted.run };
}

const sitemapOf = (urls: readonly string[]) =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;

/** Returns a site of pages with its sitemap. */
function siteOf(paths: readonly string[]): Record<string, string> {
  const urls = paths.map((path) => `${site}${path}`);
  return { [`${site}/sitemap.xml`]: sitemapOf(urls), ...Object.fromEntries(urls.map((url) => [url, `Page ${url}`])) };
}

const runningCount = async (tenantId: string) =>
  (await table.get(`${tenantId}#running-imports`, "running-imports"))?.count;

const listItems = async (tenantId: string, type: string) =>
  (await table.scan()).filter(
    ({ pk, discriminator }) => String(pk).startsWith(`${tenantId}#`) && discriminator === type,
  );

it("import of web pages stores a page as a document, and a new version only if the page has changed", async () => {
  const job = await createImport({ refresh_hours: 24 });
  const page = "<title>Page\n A</title><p>One</p>";
  await runAll(job, fetchFrom({ [`${site}/a`]: page }));
  const first = await getImport(job, job);
  expect(first).toMatchObject({ status: "ready", failure: null });
  expect(first.pages).toMatchObject([{ url: `${site}/a`, status: "imported", failure: null }]);
  const ref = { id: first.pages[0]?.document_id ?? "", collection_id: job.collection_id };
  const [document] = await findDocuments(job, [ref]);
  expect(document).toMatchObject({ title: "Page A", uri: `${site}/a`, media_type: "text/html", version: 1 });
  await runAll(await restart(job), fetchFrom({ [`${site}/a`]: page }));
  expect((await findDocuments(job, [ref]))[0]?.version).toBe(1);
  await runAll(await restart(job), fetchFrom({ [`${site}/a`]: null }));
  expect(await getImport(job, job)).toMatchObject({ status: "failed", failure: { code: "unreachable" } });
  await runAll(await restart(job), fetchFrom({ [`${site}/a`]: `${page}<p>Two</p>` }));
  expect((await findDocuments(job, [ref]))[0]).toMatchObject({ version: 2, awaits_file: true });
  expect([...stored.values()].at(-1)).toContain("Two");
  await tenantTable(job).write(failureWrite(job, { ...ref, version: 2 }, "processing_failed"));
  await runAll(await restart(job), fetchFrom({ [`${site}/a`]: `${page}<p>Two</p>` }));
  expect((await findDocuments(job, [ref]))[0]).toMatchObject({ version: 3, status: "indexing", failure: null });
  const items = (await table.scan()).filter(({ pk }) => pk === `imports#collection#${job.collection_id}`);
  expect(items.filter(({ discriminator }) => discriminator === "import-timer")).toHaveLength(1);
  await deleteImports(job, job.collection_id);
  const rest = (await table.scan()).filter(({ pk }) => pk === `imports#collection#${job.collection_id}`);
  expect(rest.map(({ discriminator }) => discriminator).sort()).toEqual(["collection", "document"]);
});

it("import of web pages reads the pages of a sitemap that are on the same site, up to the limit", async () => {
  const job = await createImport({ url: `${site}/sitemap.xml`, kind: "sitemap" });
  const urls = [`https://elsewhere.example/x`, `${site}/a`, `${site}/a`, `${site}/b?x=1&amp;y=2`, `${site}/c`];
  const pages = { [`${site}/sitemap.xml`]: sitemapOf(urls), [`${site}/a`]: "A", [`${site}/b?x=1&y=2`]: null };
  await runAll(job, fetchFrom(pages));
  expect(await getImport(job, job)).toMatchObject({
    status: "ready",
    pages: [
      { url: `${site}/a`, document_id: expect.any(String), failure: null },
      { url: `${site}/b?x=1&y=2`, document_id: null, failure: { code: "unreachable" } },
    ],
  });
});

it("import of web pages obeys the robots.txt of each site, including sites that a page redirects to, and reads each robots.txt once", async () => {
  const job = await createImport({ url: `${site}/sitemap.xml`, kind: "sitemap", max_pages: 5 });
  const other = "https://other.example";
  const fetch = fetchFrom({
    [`${site}/sitemap.xml`]: sitemapOf(["/a", "/b", "/c", "/d", "/e"].map((path) => site + path)),
    [`${site}/robots.txt`]: "User-agent: *\nDisallow: /a\nDisallow: /hidden",
    [`${other}/robots.txt`]: "User-agent: *\nDisallow: /closed",
    [`${site}/b`]: `>${other}/closed`,
    [`${site}/c`]: `>${other}/open`,
    [`${site}/d`]: `>${site}/hidden`,
    [`${site}/e`]: "E",
    [`${other}/open`]: "Open",
    [`${other}/closed`]: "Closed",
  });
  await runAll(job, fetch);
  const { pages } = await getImport(job, job);
  const disallowed = "disallowed";
  expect(pages.map(({ failure }) => failure?.code)).toEqual([disallowed, disallowed, undefined, disallowed, undefined]);
  expect(fetch.requests.filter((url) => url.endsWith("/robots.txt")).sort()).toEqual([
    `${other}/robots.txt`,
    `${site}/robots.txt`,
  ]);
  expect(stored.size).toBe(2);
});

it("import of web pages leaves no items when it is deleted while it runs", async () => {
  const job = await createImport({}, "deleted");
  await deleteImports(job, job.collection_id);
  await runAll(job, fetchFrom({ [`${site}/a`]: "A" }));
  expect([stored.size, await runningCount("deleted")]).toEqual([0, 0]);
});

it("import of web pages stores 50 pages with the longest addresses in scripts of three bytes", async () => {
  const job = await createImport({ url: `${site}/sitemap.xml`, kind: "sitemap", max_pages: 50 }, "long");
  const paths = Array.from({ length: 50 }, (_, index) => `/${String(index).padStart(2, "0")}${"漢".repeat(1_970)}`);
  await runImport(job, { fetch: fetchFrom(siteOf(paths)), maxJobMs: 120_000 });
  const { status, pages } = await getImport(job, job);
  expect([status, pages.filter((page) => page.status === "imported").length]).toEqual(["ready", 50]);
  expect(await listItems("long", "document")).toHaveLength(50);
});

it("import of web pages stops at the next page when it is canceled, and starts again when it is retried", async () => {
  const job = await createImport({ url: `${site}/sitemap.xml`, kind: "sitemap", max_pages: 5 }, "canceled");
  const pages = siteOf(["/a", "/b", "/c"]);
  const fetchPages = fetchFrom(pages);
  const fetch: Fetch = async (url, options) => {
    if (url.endsWith("/b")) {
      const [, ...writes] = cancelWrites(job, await getImport(job, job));
      await tenantTable(job).transact(writes);
    }
    return fetchPages(url, options);
  };
  await runAll(job, fetch);
  const statuses = async () => (await getImport(job, job)).pages.map(({ status }) => status);
  expect(await getImport(job, job)).toMatchObject({ status: "canceled", failure: null });
  expect(await statuses()).toEqual(["imported", "pending", "pending"]);
  expect(await runningCount("canceled")).toBe(0);
  const [, ...again] = cancelWrites(job, await getImport(job, job));
  await expect(tenantTable(job).transact(again)).rejects.toMatchObject({ code: "conflict" });
  await runAll(await restart(job), fetchFrom(pages));
  expect(await statuses()).toEqual(["imported", "imported", "imported"]);
  expect(await listItems("canceled", "document")).toHaveLength(3);
});

it("import of web pages fails with a reason when it takes too long, when its jobs are killed, and when its queue message is given up", async () => {
  const fields = { url: `${site}/sitemap.xml`, kind: "sitemap", max_pages: 3 } as const;
  const pages = siteOf(["/a", "/b"]);
  const slow = await createImport(fields, "slow");
  await runImport(slow, { fetch: fetchFrom(pages), schedule: async () => {}, maxJobMs: 1 });
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 600_000);
  await runAll(slow, fetchFrom(pages));
  vi.mocked(Date.now).mockRestore();
  expect(await getImport(slow, slow)).toMatchObject({ status: "failed", failure: { code: "timeout" } });

  const killed = await createImport(fields, "killed");
  const fetchPages = fetchFrom(pages);
  const fetch: Fetch = async (url, options) => {
    if (url.endsWith("/a")) throw new Error("out of memory");
    return fetchPages(url, options);
  };
  for (let delivery = 0; delivery < 5; delivery++) await runAll(killed, fetch).catch(() => {});
  const ended = await getImport(killed, killed);
  expect(ended).toMatchObject({ status: "ready", pages: [{ failure: { code: "interrupted" } }, { failure: null }] });

  const lost = await createImport(fields, "lost");
  await runImport(lost, { fetch: fetchFrom(pages), schedule: async () => {}, maxJobMs: 1 });
  await failImport(lost);
  await failImport(lost);
  await runAll(lost, fetchFrom(pages));
  expect(await getImport(lost, lost)).toMatchObject({ status: "failed", failure: { code: "interrupted" } });
  for (const tenantId of ["slow", "killed", "lost"]) expect(await runningCount(tenantId)).toBe(0);
});

it("import of web pages is refused with a conflict while 20 imports of the tenant are running", async () => {
  const jobs = await Promise.allSettled(Array.from({ length: 24 }, () => createImport({}, "many")));
  const rejected = jobs.filter((job) => job.status === "rejected");
  expect(rejected.map(({ reason }) => reason.code)).toEqual(Array(4).fill("conflict"));
  const [first] = jobs.flatMap((job) => (job.status === "fulfilled" ? [job.value] : []));
  await runAll(first as Job, fetchFrom({ [`${site}/a`]: "A" }));
  expect(await runningCount("many")).toBe(19);
});

it("import of web pages is repeated after its interval, or ten minutes later while 20 imports of the tenant are running", async () => {
  const job = await createImport({ refresh_hours: 1 }, "refreshed");
  await runAll(job, fetchFrom({ [`${site}/a`]: "A" }));
  const { run: _, ...refresh } = job;
  const delays: unknown[] = [];
  const options = { schedule: async (_job: ImportJob, delay?: number) => void delays.push(delay) };
  const others = await Promise.all(Array.from({ length: 20 }, () => createImport({}, "refreshed")));
  await runImport(refresh, options);
  expect([delays, (await getImport(job, job)).status]).toEqual([[600], "ready"]);
  await runAll(others[0] as Job, fetchFrom({ [`${site}/a`]: "A" }));
  await runImport(refresh, options);
  await runImport(refresh, options);
  expect(await getImport(job, job)).toMatchObject({ status: "running", run: 2 });
  expect(delays).toHaveLength(1);
});

it("import of web pages stores a deleted document again as a new one", async () => {
  const job = await createImport({}, "removed");
  await runAll(job, fetchFrom({ [`${site}/a`]: "A" }));
  const id = (await getImport(job, job)).pages[0]?.document_id ?? "";
  const [document] = await findDocuments(job, [{ id, collection_id: job.collection_id }]);
  if (document) await deleteDocument(job, document);
  await runAll(await restart(job), fetchFrom({ [`${site}/a`]: "A" }));
  expect((await getImport(job, job)).pages[0]?.document_id).not.toBe(id);
});

it(`import of web pages stores each page once although its jobs are killed at ${killCount} random points and delivered twice`, async () => {
  const random = seededRandom(31);
  let kills = 0;
  for (let round = 0; kills < killCount; round++) {
    const tenantId = `kill-${round}`;
    const paths = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => `/${index}`);
    const job = await createImport({ url: `${site}/sitemap.xml`, kind: "sitemap", max_pages: 20 }, tenantId);
    const fetch = fetchFrom(siteOf(paths));
    const isEnded = async () => (await getImport(job, job)).status !== "running";
    while (!(await isEnded())) {
      const options = { fetch, schedule: async () => {}, maxJobMs: random() < 0.3 ? 1 : 60_000 };
      // Every third delivery is a duplicate of one that still runs.
      const deliver = () => Promise.all(Array.from({ length: random() < 0.3 ? 2 : 1 }, () => runImport(job, options)));
      const work = () =>
        deliver().then(
          () => false,
          () => true,
        );
      const mode = random();
      const hasFailed =
        mode < 0.7 ? await table.failAfter(Math.floor(random() * 6), work) : await table.loseResponses(work);
      if (hasFailed) kills++;
    }
    const { status, pages } = await getImport(job, job);
    const documents = await listItems(tenantId, "document");
    const imported = pages.filter((page) => page.status === "imported");
    expect(documents.map(({ id }) => id).sort()).toEqual(imported.map((page) => page.document_id).sort());
    expect(new Set(documents.map(({ uri }) => uri)).size).toBe(documents.length);
    expect(["ready", "failed"]).toContain(status);
    for (const page of pages) if (page.status !== "imported") expect(page.failure?.code).toBe("interrupted");
    expect(await runningCount(tenantId)).toBe(0);
    const [collection] = await listItems(tenantId, "collection");
    expect(collection?.document_count).toBe(documents.length);
  }
  console.info(`${kills} kills`);
});
