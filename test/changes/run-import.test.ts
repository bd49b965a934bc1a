import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { findDocuments } from "#shared/knowledge/document-store.ts";
import { ImportError } from "#shared/knowledge/imports/fetch-public.ts";
import { deleteImports, getImport, newImport, newImportWrite } from "#shared/knowledge/imports/import-store.ts";
import { runImport } from "#shared/knowledge/imports/run-import.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const stored = vi.hoisted(() => new Map<string, string>());
vi.mock("#shared/lib/aws/s3.ts", () => ({
  putObject: async ({ key }: { key: string }, content: Uint8Array) =>
    void stored.set(key, Buffer.from(content).toString()),
}));

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
  vi.stubEnv("UPLOAD_BUCKET", "bucket");
});
beforeEach(() => stored.clear());
afterAll(() => {
  vi.unstubAllEnvs();
  return table.stop();
});

const site = "https://www.example.com";
const scope = { tenantId: "imports" };

/** Returns a function that fetches from the given pages. Requests for a page that is null fail. */
const fetchFrom = (pages: Readonly<Record<string, string | null>>) => async (url: string) => {
  const content = pages[url];
  if (content === null) throw new ImportError("unreachable");
  const status = content === undefined ? 404 : 200;
  return { url, status, contentType: "text/html", content: Buffer.from(content ?? "") };
};

async function createImport(fields: { url: string; kind?: "page" | "sitemap"; refresh_hours?: number }) {
  const collection = newCollection("u", { name: crypto.randomUUID(), description: "", visibility: "tenant" });
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  const created = newImport(collection.id, "u", { kind: "page", max_pages: 2, refresh_hours: null, ...fields });
  await tenantTable(scope).write(newImportWrite(scope, created));
  return { ...scope, id: created.id, collection_id: collection.id };
}

describe("import of web pages", () => {
  it("stores a page as a document, and a new version only if the page has changed", async () => {
    const job = await createImport({ url: `${site}/a`, refresh_hours: 24 });
    const page = "<title>Page\n A</title><p>One</p>";
    await runImport(job, fetchFrom({ [`${site}/a`]: page }));
    const first = await getImport(scope, job);
    expect(first).toMatchObject({ status: "ready", failure: null, pages: [{ url: `${site}/a`, failure: null }] });
    const ref = { id: first.pages[0]?.document_id ?? "", collection_id: job.collection_id };
    const [document] = await findDocuments(scope, [ref]);
    expect(document).toMatchObject({ title: "Page A", uri: `${site}/a`, media_type: "text/html", version: 1 });
    await runImport(job, fetchFrom({ [`${site}/a`]: page }));
    expect((await findDocuments(scope, [ref]))[0]?.version).toBe(1);
    await runImport(job, fetchFrom({ [`${site}/a`]: null }));
    expect(await getImport(scope, job)).toMatchObject({ status: "failed", failure: { code: "unreachable" } });
    await runImport(job, fetchFrom({ [`${site}/a`]: `${page}<p>Two</p>` }));
    expect((await findDocuments(scope, [ref]))[0]).toMatchObject({ version: 2, awaits_file: true });
    expect([...stored.values()].at(-1)).toContain("Two");
    const items = (await table.scan()).filter(({ pk }) => pk === `imports#collection#${job.collection_id}`);
    expect(items.filter(({ discriminator }) => discriminator === "import-timer")).toHaveLength(1);
    await deleteImports(scope, job.collection_id);
    const rest = (await table.scan()).filter(({ pk }) => pk === `imports#collection#${job.collection_id}`);
    expect(rest.map(({ discriminator }) => discriminator).sort()).toEqual(["collection", "document"]);
  });

  it("reads the pages of a sitemap that are on the same site, up to the limit", async () => {
    const job = await createImport({ url: `${site}/sitemap.xml`, kind: "sitemap" });
    const urls = [`https://elsewhere.example/x`, `${site}/a`, `${site}/a`, `${site}/b?x=1&amp;y=2`, `${site}/c`];
    const sitemap = `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
    const fetch = fetchFrom({ [`${site}/sitemap.xml`]: sitemap, [`${site}/a`]: "A", [`${site}/b?x=1&y=2`]: null });
    await runImport(job, fetch);
    expect(await getImport(scope, job)).toMatchObject({
      status: "ready",
      pages: [
        { url: `${site}/a`, document_id: expect.any(String), failure: null },
        { url: `${site}/b?x=1&y=2`, document_id: null, failure: { code: "unreachable" } },
      ],
    });
  });

  it("obeys the robots.txt of the site", async () => {
    const job = await createImport({ url: `${site}/a` });
    await runImport(job, fetchFrom({ [`${site}/robots.txt`]: "User-agent: *\nDisallow: /a", [`${site}/a`]: "A" }));
    expect(await getImport(scope, job)).toMatchObject({ status: "failed", failure: { code: "disallowed" } });
    expect(stored.size).toBe(0);
  });

  it("leaves no items when it is deleted while it runs", async () => {
    const job = await createImport({ url: `${site}/a` });
    await deleteImports(scope, job.collection_id);
    await runImport(job, fetchFrom({ [`${site}/a`]: "A" }));
    expect(stored.size).toBe(0);
  });
});
