/**
 * How long a search takes, and what it reads, over a growing number of passages: first in this process against a table of
 * its own with a meter on its line, then over HTTP through the whole local runner.
 * `node test/bench/search.ts [passages...]`, 1,000 and 10,000 by default; over HTTP the second of them, or the only one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { collectionWrites, newCollection } from "#shared/knowledge/collection-store.ts";
import { documentWrites, newDocument } from "#shared/knowledge/document-store.ts";
import { settleDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "../support/client.ts";
import { seededRandom, topicalTexts } from "../support/knowledge/synthetic-text.ts";
import { startSwitchboard } from "../support/switchboard.ts";
import { startMeteredTable } from "../support/tables/metered-table.ts";
import type { ConsumedUnits } from "../support/tables/table-proxy.ts";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000];
const searches = 300;
const warmUp = 20;

/** A document is ten paragraphs that fill a passage each. */
const passagesPerDocument = 10;
const wordsPerPassage = 200;

const random = seededRandom(42);
const { randomTopic, textAbout } = topicalTexts(random);

function someDocument() {
  const subject = randomTopic();
  const paragraphs = Array.from({ length: passagesPerDocument }, () => textAbout(subject, wordsPerPassage));
  return { title: textAbout(subject, 6), text: paragraphs.join("\n\n") };
}

/** Three to twelve words, half of them of one topic. */
const someQuestion = () => textAbout(randomTopic(), 3 + Math.floor(random() * 10), 0.5);

/** The value below which so many of them are. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1] ?? 0;
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Asks one question after the other; says how long the answers took, and how much CPU this process needed for each. */
async function timed(search: (question: string) => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  let cpu = process.cpuUsage();
  for (let asked = 0; asked < warmUp + searches; asked++) {
    if (asked === warmUp) cpu = process.cpuUsage();
    const question = someQuestion();
    const began = performance.now();
    await search(question);
    if (asked >= warmUp) times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(cpu);
  const [half, most, all] = [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1));
  const each = (user + system) / 1_000 / searches;
  return `${half} ms (median), ${most} ms (95 %), ${all} ms (longest), ${each.toFixed(1)} ms of CPU here`;
}

/** In this process. */
async function alone(): Promise<void> {
  const table = await startMeteredTable();
  const scope = { tenantId: "bench" };
  const reader = { ...scope, userId: "u" };
  const collection = newCollection("u", { name: "Bench", description: "", visibility: "tenant" });
  await tenantTable(scope).transact(collectionWrites(scope, collection));
  let passages = 0;
  for (const size of sizes) {
    const began = performance.now();
    const before = passages;
    while (passages < size) {
      const documents = Array.from({ length: Math.min(100, (size - passages) / passagesPerDocument) }, () => {
        const { title, text } = someDocument();
        const fields = { title, media_type: "text/plain", uri: null, metadata: {}, source: null } as const;
        return { document: newDocument(collection.id, "u", text, fields), text };
      });
      for (const { document, text } of documents) {
        await tenantTable(scope).transact(documentWrites(scope, document, text));
      }
      await settleDocuments(
        scope,
        documents.map(({ document }) => document),
      );
      passages += documents.length * passagesPerDocument;
    }
    const rate = ((passages - before) / (performance.now() - began)) * 1_000;
    const units: ConsumedUnits[] = [];
    const times = await timed(async (text) => {
      units.push(await table.measure(() => searchKnowledge(reader, { text, limit: 10 })));
    });
    const reads = units.map(({ read }) => read);
    const calls = units.map(({ calls }) => calls);
    console.log(
      `${passages} passages, in process: ${times}; ` +
        `read units ${average(reads).toFixed(1)} (95 %: ${quantile(reads, 0.95)}, most ${quantile(reads, 1)}), ` +
        `calls ${average(calls).toFixed(1)} (most ${quantile(calls, 1)}); indexed ${rate.toFixed(0)} passages a second`,
    );
  }
  await table.stop();
}

async function tenTimes(read: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let times = 0; times < 10; times++) await read();
  return performance.now() - began;
}

/** The change feed has a lot to leave aside after so many changes: waits until that slows nothing down, or ten minutes. */
async function quiet(read: () => Promise<unknown>, atFirst: number): Promise<void> {
  for (let tries = 0; tries < 300 && (await tenTimes(read)) > 2 * atFirst; tries++) await sleep(2_000);
}

/** Over HTTP, one request after the other. */
async function throughRunner(size: number): Promise<void> {
  const service = await startSwitchboard();
  const client = new Client(newIdentity(), service.baseUrl);
  const { body: collection } = await client.post("/v1/knowledge/collections", { name: "Bench" });
  const path = `/v1/knowledge/collections/${collection.id}`;
  const read = () => client.get(path);
  // The first ones start the functions.
  await tenTimes(read);
  const atFirst = await tenTimes(read);
  const began = performance.now();
  await mapConcurrent(
    Array.from({ length: size / passagesPerDocument }, someDocument),
    (document) => client.post(`${path}/documents`, document),
    4,
  );
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await client.get(`${path}/documents?limit=100${cursor && `&cursor=${cursor}`}`);
    const isReady = body.documents.every(({ status }: { status: string }) => status === "ready");
    if (isReady) cursor = body.next_cursor;
    else await sleep(500);
  }
  const rate = (size / (performance.now() - began)) * 1_000;
  await quiet(read, atFirst);
  const times = await timed((text) => client.get(`/v1/knowledge/search?${new URLSearchParams({ q: text })}`));
  console.log(`${size} passages, over HTTP: ${times}; indexed ${rate.toFixed(0)} passages a second`);
  console.log(`For comparison, a read of the collection: ${await timed(read)}`);
  await service.stop();
}

await alone();
await throughRunner(sizes[1] ?? sizes[0] ?? 0);
