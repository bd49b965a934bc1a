import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";
import { reconcileDocuments } from "#shared/knowledge/indexing/index-documents.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { type EmbeddingServer, startEmbeddingServer } from "#test/support/knowledge/embedding-server.ts";
import { seededRandom, topicalTexts } from "#test/support/knowledge/synthetic-text.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { computeCost } from "../../../infra/cost/compute-cost.ts";

/** Number of documents, which are indexed together, pages per document, words per page, and searches. */
const [documentCount, pagesPerDocument, wordsPerPage, searchCount] = [8, 10, 400, 20];
const pageCount = documentCount * pagesPerDocument;

let table: MeteredTable;
let provider: EmbeddingServer;

vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async () => {},
}));

beforeAll(async () => {
  [table, provider] = await Promise.all([startMeteredTable(), startEmbeddingServer()]);
  vi.stubEnv("EMBEDDING_BASE_URL", provider.baseUrl);
  vi.stubEnv("EMBEDDING_ID", "cost");
  vi.stubEnv("EMBED_PASSAGES_QUEUE_URL", "http://127.0.0.1/queue");
});
afterAll(() => {
  vi.unstubAllEnvs();
  provider.close();
  return table.stop();
});

interface Units {
  readonly read: number;
  readonly written: number;
}

/** Measures the capacity units of one indexed page and of one search. */
async function measure(providerName: "none" | "openai-compatible"): Promise<{ page: Units; search: Units }> {
  vi.stubEnv("EMBEDDING_PROVIDER", providerName);
  const scope = { tenantId: `cost-${providerName}` };
  const { randomTopic, textAbout } = topicalTexts(seededRandom(7));
  const collection = newCollection("u", { name: "c", description: "", readers: ["tenant"] });
  await tenantTable(scope).transact(newCollectionWrites(scope, collection));
  const pages = await table.measure(async () => {
    const documents = Array.from({ length: documentCount }, () => {
      const topic = randomTopic();
      const text = Array.from({ length: pagesPerDocument }, () => textAbout(topic, wordsPerPage)).join("\n\n");
      const fields = {
        title: textAbout(topic, 6),
        media_type: "text/plain",
        uri: null,
        metadata: {},
        source: null,
      } as const;
      return { document: newTextDocument(collection.id, "u", text, fields), text };
    });
    for (const { document, text } of documents) {
      const source = { format: "text/plain", text } as const;
      await tenantTable(scope).transact(await newDocumentWrites(scope, [{ document, source }]));
    }
    await reconcileDocuments(
      scope,
      documents.map(({ document }) => document),
    );
  });
  const searches = await table.measure(async () => {
    for (let count = 0; count < searchCount; count++) {
      await searchKnowledge({ ...scope, userId: "u" }, { text: textAbout(randomTopic(), 8, 0.5), limit: 10 });
    }
  });
  const divide = ({ read, written }: Units, count: number) => ({ read: read / count, written: written / count });
  return { page: divide(pages, pageCount), search: divide(searches, searchCount) };
}

/** Rows of the cost table in the guide: operation, read units, write units, US dollars per 1,000. */
function documentedRows(): Map<string, readonly number[]> {
  const guide = readFileSync("docs/guides/knowledge.md", "utf8");
  const [, table = ""] = guide.split("## What it costs");
  const rows = table
    .split("\n")
    .filter((line) => line.startsWith("| ") && /\d/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(rows.map(([name = "", ...numbers]) => [name, numbers.map(Number)]));
}

describe.runIf(isFullRun)("cost table of the knowledge guide", () => {
  it.each([
    { providerName: "none", suffix: "by words" },
    { providerName: "openai-compatible", suffix: "by words and meaning" },
  ] as const)(
    "cost table of the knowledge guide states the measured cost of pages and searches $suffix",
    async (row) => {
      const measured = await measure(row.providerName);
      const rows = documentedRows();
      const results = (["page", "search"] as const).map((operation) => {
        const { read, written } = measured[operation];
        const { total } = computeCost({ tableRead: 1_000 * read, tableWrite: 1_000 * written });
        console.info(
          `${operation} ${row.suffix}: ${read.toFixed(1)} read, ${written.toFixed(1)} written, ${total} USD`,
        );
        return { operation, actual: [read, written, total] };
      });
      for (const { operation, actual } of results) {
        const documented = rows.get(`${operation} ${row.suffix}`) ?? [];
        expect(documented).toHaveLength(actual.length);
        for (const [index, value] of actual.entries()) {
          expect(Math.abs((documented[index] ?? 0) - value)).toBeLessThanOrEqual(0.1 * value);
        }
      }
    },
  );
});
