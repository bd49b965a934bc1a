/**
 * Measures latency and read units of a search over a growing number of passages: first in this process against a metered
 * table, by words and with vectors, then over HTTP through the local runner.
 * `node test/bench/search.ts [passages...]`, 1,000 and 10,000 by default; over HTTP the second of them, or the only one.
 * With `IN_PROCESS_ONLY=1`, the part over HTTP is left out.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "../support/client.ts";
import { startEmbeddingServer } from "../support/knowledge/embedding-server.ts";
import { seededRandom, topicalTexts } from "../support/knowledge/synthetic-text.ts";
import { startSwitchboard } from "../support/switchboard.ts";
import { startMeteredTable } from "../support/tables/metered-table.ts";
import type { ConsumedUnits } from "../support/tables/table-proxy.ts";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000];
const searches = 300;
const warmUp = 20;

/** Documents have ten paragraphs, each the length of a passage. */
const passagesPerDocument = 10;
const wordsPerPassage = 200;

const random = seededRandom(42);
const { randomTopic, textAbout } = topicalTexts(random);

function createDocument() {
  const subject = randomTopic();
  const paragraphs = Array.from({ length: passagesPerDocument }, () => textAbout(subject, wordsPerPassage));
  return { title: textAbout(subject, 6), text: paragraphs.join("\n\n") };
}

/** Creates a query of three to twelve words, half of them from one topic. */
const createQuery = () => textAbout(randomTopic(), 3 + Math.floor(random() * 10), 0.5);

/** Returns the value below which the given fraction of values lies. */
function quantile(values: readonly number[], fraction: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(fraction * values.length) - 1] ?? 0;
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Runs searches sequentially and reports their latency and this process's CPU time per search. */
async function reportLatency(search: (question: string) => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  let cpu = process.cpuUsage();
  for (let index = 0; index < warmUp + searches; index++) {
    if (index === warmUp) cpu = process.cpuUsage();
    const question = createQuery();
    const startedAt = performance.now();
    await search(question);
    if (index >= warmUp) times.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(cpu);
  const [p50, p95, max] = [0.5, 0.95, 1].map((fraction) => quantile(times, fraction).toFixed(1));
  const cpuMs = (user + system) / 1_000 / searches;
  return `p50 ${p50} ms, p95 ${p95} ms, max ${max} ms, ${cpuMs.toFixed(1)} ms of CPU in this process`;
}

/** Measures searches in this process. The passages have vectors of a deterministic model. */
async function measureInProcess(): Promise<void> {
  const table = await startMeteredTable();
  const provider = await startEmbeddingServer();
  const setProvider = (name: "none" | "openai-compatible") => {
    process.env.EMBEDDING_PROVIDER = name;
  };
  Object.assign(process.env, {
    EMBEDDING_BASE_URL: provider.baseUrl,
    EMBEDDING_ID: "bench",
    EMBED_PASSAGES_QUEUE_URL: "http://127.0.0.1/queue",
  });
  const scope = { tenantId: "bench" };
  const reader = { ...scope, userId: "u" };
  const collection = newCollection("u", { name: "Bench", description: "", readers: ["tenant"] });
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  let passages = 0;
  for (const size of sizes) {
    const startedAt = performance.now();
    const before = passages;
    setProvider("openai-compatible");
    while (passages < size) {
      const documents = Array.from({ length: Math.min(100, (size - passages) / passagesPerDocument) }, () => {
        const { title, text } = createDocument();
        const fields = { title, media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
        return { document: newTextDocument(collection.id, "u", text, fields), text };
      });
      for (const { document, text } of documents) {
        await tenantTable(scope).transact(
          await newDocumentWrites(scope, [{ document, source: { format: "text/plain", text } }]),
        );
      }
      await reconcileDocuments(
        scope,
        documents.map(({ document }) => document),
      );
      passages += documents.length * passagesPerDocument;
    }
    const rate = ((passages - before) / (performance.now() - startedAt)) * 1_000;
    console.log(`${passages} passages: indexed ${rate.toFixed(0)} a second`);
    for (const name of ["none", "openai-compatible"] as const) {
      setProvider(name);
      const units: ConsumedUnits[] = [];
      const times = await reportLatency(async (text) => {
        units.push(await table.measure(() => searchKnowledge(reader, { text, limit: 10 })));
      });
      const reads = units.map(({ read }) => read);
      const calls = units.map(({ calls }) => calls);
      console.log(
        `${passages} passages, in process, ${name === "none" ? "by words" : "by words and meaning"}: ${times}; ` +
          `read units ${average(reads).toFixed(1)} (p95 ${quantile(reads, 0.95)}, max ${quantile(reads, 1)}), ` +
          `calls ${average(calls).toFixed(1)} (max ${quantile(calls, 1)})`,
      );
    }
  }
  setProvider("none");
  provider.close();
  await table.stop();
}

async function timeTenReads(read: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let count = 0; count < 10; count++) await read();
  return performance.now() - startedAt;
}

/** Waits up to ten minutes until the backlog of the stream processors no longer slows down reads. */
async function waitForChangeFeed(read: () => Promise<unknown>, baselineMs: number): Promise<void> {
  for (let attempt = 0; attempt < 300 && (await timeTenReads(read)) > 2 * baselineMs; attempt++) await sleep(2_000);
}

/** Measures sequential searches over HTTP. */
async function measureOverHttp(size: number): Promise<void> {
  const service = await startSwitchboard();
  const client = new Client(newIdentity(), service.baseUrl);
  const { body: collection } = await client.post("/v1/knowledge/collections", { name: "Bench" });
  const path = `/v1/knowledge/collections/${collection.id}`;
  const read = () => client.get(path);
  // The first reads are cold starts.
  await timeTenReads(read);
  const baselineMs = await timeTenReads(read);
  const startedAt = performance.now();
  await mapConcurrent(
    Array.from({ length: size / passagesPerDocument }, createDocument),
    (document) => client.post(`${path}/documents`, document),
    4,
  );
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await client.get(`${path}/documents?limit=100${cursor && `&cursor=${cursor}`}`);
    const isReady = body.documents.every(({ status }: { status: string }) => status === "ready");
    if (isReady) cursor = body.next_cursor;
    else await sleep(500);
  }
  const rate = (size / (performance.now() - startedAt)) * 1_000;
  await waitForChangeFeed(read, baselineMs);
  const times = await reportLatency((text) => client.get(`/v1/knowledge/search?${new URLSearchParams({ q: text })}`));
  console.log(`${size} passages, over HTTP: ${times}; indexed ${rate.toFixed(0)} passages a second`);
  console.log(`For comparison, a read of the collection: ${await reportLatency(read)}`);
  await service.stop();
}

await measureInProcess();
if (!process.env.IN_PROCESS_ONLY) await measureOverHttp(sizes[1] ?? sizes[0] ?? 0);
