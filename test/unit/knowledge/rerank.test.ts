import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { indexTexts } from "#test/support/knowledge/index-texts.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "rerank" };
const texts = ["Harbor fees are due in March.", "Harbor fees, harbor fees and harbor fees.", "Fees of the harbor."];

interface RerankRequest {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { model: string; query: string; documents: string[]; top_n: number };
}

let table: MeteredTable;
let requests: RerankRequest[];
/** Status and body of the provider's response to the given documents. */
let respond: (documents: readonly string[]) => { status: number; body: unknown } | null;

/** Prefers documents with the word "March". */
const scoreMarch = (documents: readonly string[]) => ({
  status: 200,
  body: {
    results: documents
      .map((document, index) => ({ index, relevance_score: document.includes("March") ? 0.9 : 0.1 / (index + 1) }))
      .sort((a, b) => b.relevance_score - a.relevance_score),
  },
});

const server = createServer(async (request, response) => {
  const body = JSON.parse(await readText(request));
  requests.push({ path: request.url, authorization: request.headers.authorization, body });
  const answer = respond(body.documents);
  if (!answer) return response.destroy();
  response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
});

beforeAll(async () => {
  table = await startMeteredTable();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  await indexTexts(
    scope,
    texts.map((text, n) => ({ title: `D${n}`, text })),
  );
});

beforeEach(() => {
  requests = [];
  respond = scoreMarch;
  vi.stubEnv("RERANK_PROVIDER", "cohere-compatible");
  vi.stubEnv("RERANK_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`);
  vi.stubEnv("RERANK_API_KEY", "key-1");
  vi.stubEnv("RERANK_ID", "rerank-model");
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => {
  server.close();
  return table.stop();
});

const search = (
  options: { text?: string; rerank?: boolean; limit?: number; minRelevance?: number; onRerankFailed?: () => void } = {},
) => searchKnowledge({ ...scope, userId: "u" }, { text: "harbor fees", limit: 10, minRelevance: 0, ...options });

it("search with a reranking provider orders the passages by the provider's scores and returns these scores", async () => {
  expect((await search()).map(({ title }) => title)[0]).not.toBe("D0");
  expect(requests).toEqual([]);
  const hits = await search({ rerank: true });
  expect(hits[0]).toMatchObject({ title: "D0", score: 0.9, scores: { rerank: 0.9 } });
  expect(hits).toHaveLength(3);
  const scores = hits.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(requests).toMatchObject([
    {
      path: "/v2/rerank",
      authorization: "Bearer key-1",
      body: { model: "rerank-model", query: "harbor fees", top_n: 3 },
    },
  ]);
  expect(requests[0]?.body.documents.toSorted()).toEqual(texts.map((text, n) => `D${n}\n${text}`).toSorted());
});

it("search with a reranking provider sends more passages to the provider than it returns", async () => {
  expect((await search({ rerank: true, limit: 1 })).map(({ title }) => title)).toEqual(["D0"]);
});

it("search with a reranking provider returns no passage below the minimum relevance, even if the provider prefers it", async () => {
  const text = "harbor due in March";
  const [relevant, ...others] = (await search({ text })).toSorted((a, b) => b.relevance - a.relevance);
  expect(relevant?.title).toBe("D0");
  const minRelevance = relevant?.relevance ?? 0;
  expect(Math.max(...others.map(({ relevance }) => relevance))).toBeLessThan(minRelevance);
  respond = (documents) => ({
    status: 200,
    body: {
      results: documents.map((document, index) => ({
        index,
        relevance_score: document.includes("March") ? 0.1 : 0.9,
      })),
    },
  });
  expect((await search({ text, rerank: true, limit: 1 })).map(({ title }) => title)).not.toEqual(["D0"]);
  const hits = await search({ text, rerank: true, limit: 1, minRelevance });
  expect(hits.map(({ title }) => title)).toEqual(["D0"]);
});

it.each([
  ["an error", () => ({ status: 500, body: { message: "broken" } })],
  ["another format", () => ({ status: 200, body: { data: [] } })],
  ["too few scores", () => ({ status: 200, body: { results: [{ index: 0, relevance_score: 1 }] } })],
  ["a closed connection", () => null],
])(
  "search with a reranking provider keeps the order of the search and reports it when the provider answers with %s",
  async (_, response) => {
    respond = response;
    const onRerankFailed = vi.fn();
    const before = await search();
    expect(await search({ rerank: true, onRerankFailed })).toEqual(before);
    expect(onRerankFailed).toHaveBeenCalledOnce();
    expect(before.every(({ scores }) => scores.rerank === null)).toBe(true);
  },
);

it("search with a reranking provider sends no request when RERANK_PROVIDER is none", async () => {
  vi.stubEnv("RERANK_PROVIDER", "none");
  const onRerankFailed = vi.fn();
  expect(await search({ rerank: true, onRerankFailed })).toHaveLength(3);
  expect(requests).toEqual([]);
  expect(onRerankFailed).not.toHaveBeenCalled();
});
