import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import {
  type DocumentRef,
  deleteDocument,
  findDocuments,
  newDocument,
  newDocumentWrites,
  type StoredDocument,
} from "#shared/knowledge/document-store.ts";
import { newVersionWrites, withNewVersion } from "#shared/knowledge/document-versions.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { processDocumentFile } from "#shared/knowledge/process-document-file.ts";
import { storeFile } from "#shared/knowledge/upload-store.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const objects = vi.hoisted(() => new Map<string, Buffer>());
vi.mock("#shared/lib/aws/s3.ts", () => ({
  putObject: async ({ key }: { key: string }, content: Uint8Array) => void objects.set(key, Buffer.from(content)),
  findObject: async ({ key }: { key: string }) => objects.get(key),
  deleteObject: async ({ key }: { key: string }) => void objects.delete(key),
}));
// Extracts files in this thread: starting a worker thread for each file would take most of the test's time.
vi.mock("#shared/files/extract-in-process.ts", async () => {
  const { extractFile } = await import("#shared/files/extract-file.ts");
  return { extractInProcess: extractFile };
});

const killCount = sized({ usual: 12, full: 30, soak: 500 });

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
  vi.stubEnv("UPLOAD_BUCKET", "bucket");
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});
afterAll(() => {
  vi.unstubAllEnvs();
  return table.stop();
});

const readable = Buffer.from("The harbor opens at dawn.\n\nFerries cross the strait every hour.");
const damaged = Buffer.from("PK\x03\x04 no archive");

/** Tenant, and the current state of its only document. */
interface Scenario {
  readonly tenantId: string;
  document: StoredDocument;
}

const getStored = async (scope: TenantScope, ref: DocumentRef) =>
  (await findDocuments(scope, [ref]))[0] as StoredDocument;

async function addFile({ tenantId, document }: Scenario, content: Buffer, isNew: boolean): Promise<void> {
  const scope = { tenantId };
  await storeFile(scope, document, content);
  await tenantTable(scope).transact(
    isNew
      ? await newDocumentWrites(scope, [{ document, source: null }])
      : await newVersionWrites(scope, document, document, null),
  );
}

async function createScenario(tenantId: string, isReadable: boolean): Promise<Scenario> {
  const collection = newCollection("u", { name: "c", description: "", readers: ["tenant"] });
  await tenantTable({ tenantId }).transact(newCollectionWrites({ tenantId }, collection));
  const name = isReadable ? "a.txt" : "a.docx";
  const media_type = isReadable
    ? ("text/plain" as const)
    : ("application/vnd.openxmlformats-officedocument.wordprocessingml.document" as const);
  const content = isReadable ? readable : damaged;
  const fields = { title: name, media_type, uri: null, metadata: {}, file_name: name, size: content.length };
  const document = newDocument(collection.id, "u", { ...fields, source: null });
  const scenario = { tenantId, document };
  await addFile(scenario, content, true);
  return scenario;
}

/**
 * Runs a step until it succeeds. The first three attempts are killed after a random number of writes.
 * @returns the number of killed attempts
 */
async function runKilled(random: () => number, step: () => Promise<unknown>): Promise<number> {
  let kills = 0;
  for (let attempt = 0; attempt < 3; attempt++) {
    const writes = Math.floor(random() * 40);
    const hasFailed = await table.failAfter(writes, () =>
      step().then(
        () => false,
        () => true,
      ),
    );
    if (!hasFailed) return kills;
    kills++;
  }
  await step();
  return kills;
}

const listItems = async (tenantId: string) =>
  (await table.scan()).filter(({ pk }) => String(pk).startsWith(`${tenantId}#`));

it(`processing of an uploaded file ends as ready or failed without leftovers although it is killed at ${killCount} random points`, async () => {
  const random = seededRandom(11);
  let kills = 0;
  const outcomes = new Map<string, number>();
  for (let run = 0; kills < killCount; run++) {
    const isReadable = run % 4 !== 3;
    const scenario = await createScenario(`killed-${run}`, isReadable);
    const scope = { tenantId: scenario.tenantId };
    const process = async () => {
      const { id, collection_id, version } = scenario.document;
      kills += await runKilled(random, () => processDocumentFile({ ...scope, id, collection_id, version }));
      kills += await runKilled(random, () => reconcileDocuments(scope, [scenario.document]));
    };
    await process();
    if (random() < 0.5) {
      // The new version arrives after the old one was indexed or has failed.
      const { title, media_type, uri, metadata, file_name } = scenario.document;
      const fields = { title, media_type, uri, metadata, file_name, size: readable.length };
      scenario.document = withNewVersion(await getStored(scope, scenario.document), fields);
      await addFile(scenario, isReadable ? readable : damaged, false);
      await process();
    }
    const document = await getStored(scope, scenario.document);
    outcomes.set(document.status, (outcomes.get(document.status) ?? 0) + 1);
    expect(["ready", "failed"]).toContain(document.status);
    expect(document.awaits_file).toBeUndefined();
    expect(document.retired).toBeUndefined();
    expect(document.next_placement).toBeUndefined();
    const before = await listItems(scenario.tenantId);
    const count = (type: string) => before.filter(({ discriminator }) => discriminator === type).length;
    expect(count("passage")).toBe(document.status === "ready" ? document.chunk_count : 0);
    expect(count("document-source")).toBe(document.status === "ready" ? 1 : 0);
    await deleteDocument(scope, document);
    kills += await runKilled(random, () => reconcileDocuments(scope, [scenario.document]));
    expect(await findDocuments(scope, [scenario.document])).toEqual([]);
    const rest = (await listItems(scenario.tenantId)).map(({ discriminator }) => discriminator).sort();
    expect(
      rest.filter((type) => !["collection", "storage", "collection-name", "index-statistics"].includes(String(type))),
    ).toEqual([]);
    const statistics = (await listItems(scenario.tenantId)).find(
      ({ discriminator }) => discriminator === "index-statistics",
    );
    expect([Number(statistics?.passages ?? 0), Number(statistics?.length ?? 0)]).toEqual([0, 0]);
    expect(objects.size).toBe(0);
  }
  console.info(`${kills} kills, outcomes: ${JSON.stringify([...outcomes])}`);
  expect(outcomes.get("ready")).toBeGreaterThan(0);
  expect(outcomes.get("failed")).toBeGreaterThan(0);
});
