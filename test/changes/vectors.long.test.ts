import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { findEmbeddingSpace } from "#shared/embeddings/embedding-provider.ts";
import { deleteDocument, type StoredDocument } from "#shared/knowledge/document-store.ts";
import { lexicalIndex } from "#shared/knowledge/index/lexical-index.ts";
import { allocatePassageNumbers, statisticsWrites } from "#shared/knowledge/index/passage-store.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { changeCodes, readCodePages } from "#shared/knowledge/vectors/code-pages.ts";
import { type EmbeddingJob, embedPassages } from "#shared/knowledge/vectors/embed-passages.ts";
import { codeScorer, int8Similarity, toCode, toInt8 } from "#shared/knowledge/vectors/quantize.ts";
import { toVectorSet } from "#shared/knowledge/vectors/vector-index.ts";
import { type EmbeddingServer, startEmbeddingServer, toVector } from "#test/support/knowledge/embedding-server.ts";
import { indexTexts } from "#test/support/knowledge/index-texts.ts";
import { seededRandom, syntheticWord } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
let provider: EmbeddingServer;
/** Called for each request to the provider. */
let whenEmbedding = () => {};
beforeAll(async () => {
  [table, provider] = await Promise.all([
    startMeteredTable(),
    startEmbeddingServer(async (inputs) => {
      whenEmbedding();
      return inputs.map((text) => toVector(text));
    }),
  ]);
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  whenEmbedding = () => {};
  provider.isBroken = false;
  jobs.length = 0;
});
afterAll(() => {
  provider.close();
  return table.stop();
});

const jobs: EmbeddingJob[] = [];
vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async (_url: string, body: string) => void jobs.push(JSON.parse(body)),
}));

function switchOn(model = "model-a"): void {
  vi.stubEnv("EMBEDDING_PROVIDER", "openai-compatible");
  vi.stubEnv("EMBEDDING_BASE_URL", provider.baseUrl);
  vi.stubEnv("EMBEDDING_ID", model);
  vi.stubEnv("EMBEDDING_MIN_SIMILARITY", "0.3");
  vi.stubEnv("EMBED_PASSAGES_QUEUE_URL", "http://127.0.0.1/queue");
}

const texts = [
  "Employees have thirty days of annual leave.",
  "The garage will repair your car on Tuesday.",
  "The choir rehearses in the customs house.",
];

const seed = (tenantId: string, contents: readonly string[] = texts): Promise<StoredDocument[]> =>
  indexTexts(
    { tenantId },
    contents.map((text, index) => ({ title: `D${index}`, text })),
  );

const searchTitles = async (tenantId: string, text: string, onDegraded?: () => void) =>
  (await searchKnowledge({ tenantId, userId: "u" }, { text, limit: 5, ...(onDegraded && { onDegraded }) })).map(
    ({ title }) => title,
  );

const countCodes = async (tenantId: string) => {
  const space = findEmbeddingSpace();
  if (!space) throw new Error("Expected a space");
  const set = toVectorSet("tenant", space);
  const pages = await readCodePages({ tenantId }, set, 1_000);
  return pages.reduce((sum, { tags }) => sum + tags.filter((tag) => tag > 0).length, 0);
};

const runJob = (tenantId: string) =>
  embedPassages({ tenantId, audience: "tenant", space: findEmbeddingSpace()?.id ?? "" });

it("search by embedding vectors finds passages that share no word with the query until their document is deleted", async () => {
  switchOn();
  const [leave] = await seed("meaning");
  const hits = await searchKnowledge({ tenantId: "meaning", userId: "u" }, { text: "PTO", limit: 5 });
  expect(hits[0]).toMatchObject({ title: "D0", matched_terms: [], scores: { words: null } });
  expect(hits[0]?.scores.meaning).toBeGreaterThan(0.3);
  expect(await searchTitles("meaning", "fix automobile")).toEqual(["D1"]);
  expect(await countCodes("meaning")).toBe(3);
  if (!leave) throw new Error("Expected a document");
  await deleteDocument({ tenantId: "meaning" }, leave);
  await reconcileDocuments({ tenantId: "meaning" }, [leave]);
  expect(await countCodes("meaning")).toBe(2);
  expect(await searchTitles("meaning", "PTO")).toEqual([]);
});

it("search by embedding vectors uses words only and reports it while the embedding provider fails, also for new documents", async () => {
  switchOn();
  provider.isBroken = true;
  await seed("degraded");
  let isDegraded = false;
  expect(await searchTitles("degraded", "annual leave", () => (isDegraded = true))).toEqual(["D0"]);
  expect(isDegraded).toBe(true);
  provider.isBroken = false;
  expect(await countCodes("degraded")).toBe(0);
  await runJob("degraded");
  expect(await countCodes("degraded")).toBe(3);
  expect(await searchTitles("degraded", "vacation")).toEqual(["D0"]);
});

it("search by embedding vectors later computes only the vector of the passage for which the provider failed during indexing", async () => {
  switchOn();
  await seed("retry");
  await runJob("retry");
  provider.isBroken = true;
  await seed("retry", ["The harbor opens at noon."]);
  provider.isBroken = false;
  expect(await countCodes("retry")).toBe(3);
  const before = provider.embedded;
  expect(jobs).toHaveLength(1);
  for (const job of jobs) await embedPassages(job);
  expect(await countCodes("retry")).toBe(4);
  expect(provider.embedded - before).toBe(1);
});

it.each([0, 1, 2, 3, 4, 5])(
  "search by embedding vectors covers all passages when an embedding job that failed after %d writes is repeated",
  async (writes) => {
    const tenantId = `interrupted-${writes}`;
    await seed(tenantId);
    switchOn();
    await searchTitles(tenantId, "PTO");
    await table.failAfter(writes, () => runJob(tenantId).catch(() => {}));
    await runJob(tenantId);
    expect(await countCodes(tenantId)).toBe(3);
  },
);

it("search by embedding vectors covers existing passages after a provider is configured or changed, and never mixes two models' vectors", async () => {
  await seed("backfill");
  expect(await searchTitles("backfill", "PTO")).toEqual([]);
  switchOn("model-a");
  expect(await searchTitles("backfill", "annual leave")).toEqual(["D0"]);
  await runJob("backfill");
  expect(await searchTitles("backfill", "PTO")).toEqual(["D0"]);
  const first = findEmbeddingSpace()?.id;
  switchOn("model-b");
  expect(findEmbeddingSpace()?.id).not.toBe(first);
  expect(await searchTitles("backfill", "PTO")).toEqual([]);
  const before = provider.embedded;
  await runJob("backfill");
  await runJob("backfill");
  // The first job embeds each passage once; the second job has nothing to do.
  expect(provider.embedded - before).toBe(3);
  expect(await searchTitles("backfill", "PTO")).toEqual(["D0"]);
  const items = (await table.scan()).filter(({ pk }) => String(pk).startsWith(`backfill#vectors#tenant#${first}#`));
  expect(items).toEqual([]);
});

describe("search by embedding vectors with a provider that takes 30 seconds for a request", () => {
  const many = Array.from({ length: 50 }, (_, index) => `Rules of leave number ${index}`);
  const slowDown = () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    whenEmbedding = () => vi.setSystemTime(Date.now() + 30_000);
  };

  it("search by embedding vectors gets the vectors in several runs of the embedding job, once each, when a provider request takes 30 seconds", async () => {
    await seed("slow-job", many);
    switchOn();
    await searchTitles("slow-job", "PTO");
    const before = provider.embedded;
    slowDown();
    const counts: number[] = [];
    for (let run = 0; run < 3; run++) {
      await runJob("slow-job");
      counts.push(await countCodes("slow-job"));
    }
    expect(counts).toEqual([22, 44, 50]);
    expect(provider.embedded - before).toBe(50);
    const state = await tenantTable({ tenantId: "slow-job" }).get(keys.vectorState("slow-job", "tenant"));
    expect(state).toMatchObject({ is_complete: true });
  });

  it("search by embedding vectors finds passages by words while a slow provider delays their vectors, which the embedding job adds", async () => {
    switchOn();
    slowDown();
    await seed("slow-index", many);
    expect(await countCodes("slow-index")).toBe(22);
    expect(await searchTitles("slow-index", "leave 49")).toContain("D49");
    for (let run = 0; run < 2; run++) await runJob("slow-index");
    expect(await countCodes("slow-index")).toBe(50);
  });
});

it("search by embedding vectors never compares the query with another tenant's vectors", async () => {
  switchOn();
  await seed("owner");
  await seed("stranger");
  const hits = await searchKnowledge({ tenantId: "stranger", userId: "u" }, { text: "PTO", limit: 10 });
  expect(hits).toHaveLength(1);
  const item = await tenantTable({ tenantId: "owner" }).get(keys.vectorState("owner", "tenant"));
  expect(item).toBeDefined();
  expect(await searchTitles("tenant-without-documents", "PTO")).toEqual([]);
});

it("cost of a search by embedding vectors over 60 passages is at most 40 read units, because only the returned documents are read", async () => {
  switchOn();
  const tenantId = "cost";
  await seed(
    tenantId,
    Array.from({ length: 60 }, (_, index) => `Rules of leave number ${index}`),
  );
  let hits = 0;
  const { read } = await table.measure(async () => {
    hits = (await searchKnowledge({ tenantId, userId: "u" }, { text: "PTO rules", limit: 5 })).length;
  });
  expect(hits).toBe(5);
  console.info(`search in 60 passages: ${read} read units`);
  expect(read).toBeLessThanOrEqual(40);
});

it("cost of a search by embedding vectors is at most 60 read units for ten results when most of 10,000 passages match the words", async () => {
  switchOn("model-large");
  const space = findEmbeddingSpace();
  if (!space) throw new Error("Expected a space");
  const scope = { tenantId: "large" };
  const random = seededRandom(11);
  const words = Array.from({ length: 12 }, (_, number) => syntheticWord(number + 50));
  const text = `${words.join(" ")} ${words.join(" ")}`;
  const documents = await indexTexts(
    scope,
    Array.from({ length: 40 }, () => ({ title: "T", text })),
  );
  const collectionId = documents[0]?.collection_id ?? "";
  // The other passages exist only in the indexes, without stored text. They match worse, so that a search does not
  // read their text.
  const count = 10_000 - documents.length;
  const { first } = await allocatePassageNumbers(scope, "tenant", count);
  for (let start = 0; start < count; start += 2_490) {
    const passages = Array.from({ length: 2_490 }, (_, index) => ({
      passage: first + start + index,
      collectionId,
      language: "en" as const,
      title: "",
      headings: "",
      text: words.filter(() => random() < 0.6).join(" "),
    }));
    await lexicalIndex.add(scope, "tenant", passages);
    const code = () => Uint8Array.from({ length: 24 }, () => Math.floor(random() * 256));
    const codes = passages.map(({ passage }) => [passage, { code: code(), collectionTag: 7 }] as const);
    await changeCodes(scope, toVectorSet("tenant", space), new Map(codes));
  }
  const statistics = { audience: "tenant", language: "en", passages: count, length: 8 * count } as const;
  for (const write of statisticsWrites(scope, [statistics])) await tenantTable(scope).write(write);
  let hits = 0;
  const { read } = await table.measure(async () => {
    hits = (await searchKnowledge({ ...scope, userId: "u" }, { text: words.join(" "), limit: 10 })).length;
  });
  console.info(`search in 10,000 passages: ${read} read units`);
  expect(hits).toBe(10);
  expect(read).toBeGreaterThan(45);
  expect(read).toBeLessThanOrEqual(60);
});

describe("compact codes of embedding vectors", () => {
  it("compact codes of embedding vectors rank passages in the same order as the full vectors", () => {
    const query = Float32Array.from(toVector("annual leave of employees"));
    const length = Math.hypot(...query);
    const unit = query.map((value) => value / length);
    const near = Float32Array.from(toVector("employees have annual vacation"));
    const far = Float32Array.from(toVector("the choir rehearses"));
    const score = codeScorer(unit);
    expect(score(toCode(near), 0)).toBeGreaterThan(score(toCode(far), 0));
    const exact = near.reduce((sum, value, index) => sum + value * (unit[index] ?? 0), 0) / Math.hypot(...near);
    expect(int8Similarity(unit, toInt8(near))).toBeCloseTo(exact, 1);
  });

  const sizes = sized({ usual: [10_000], full: [10_000, 100_000] });
  it.each(sizes)(
    "compact codes of embedding vectors cost at most 32 read units per 10,000 passages to read: %i passages",
    async (passages) => {
      const scope = { tenantId: `codes-${passages}` };
      const set = toVectorSet("tenant", { id: "s", model: "m", dimensions: 1_024 });
      const code = new Uint8Array(set.codeBytes).fill(0x55);
      for (let start = 0; start < passages; start += 11_500) {
        const numbers = Array.from({ length: Math.min(11_500, passages - start) }, (_, index) => start + index);
        await changeCodes(scope, set, new Map(numbers.map((number) => [number, { code, collectionTag: 7 }])));
      }
      let count = 0;
      const { read } = await table.measure(async () => {
        count = (await readCodePages(scope, set, passages)).length;
      });
      console.info(`${passages} passages: ${read} read units for ${count} pages`);
      expect(read).toBeLessThanOrEqual(passages === 10_000 ? 32 : 320);
    },
  );
});
