import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type EmbeddingSpace, findEmbeddingSpace } from "#shared/embeddings/embedding-provider.ts";
import type { RankedPassage } from "#shared/knowledge/index/knowledge-index.ts";
import { lexicalIndex } from "#shared/knowledge/index/lexical-index.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";
import { readAudienceStates } from "#shared/knowledge/vectors/audience-states.ts";
import { type EmbeddingJob, embedPassages } from "#shared/knowledge/vectors/embed-passages.ts";
import { embedQuery, rankByMeaning } from "#shared/knowledge/vectors/vector-index.ts";
import { loadEmbeddingModel, MODEL_DIMENSIONS } from "#test/support/knowledge/embedding-model.ts";
import { type EmbeddingServer, startEmbeddingServer } from "#test/support/knowledge/embedding-server.ts";
import { indexTexts } from "#test/support/knowledge/index-texts.ts";
import { paraphrasedQuestions } from "#test/support/knowledge/paraphrased-questions.ts";
import { answerable, answerableQuestions } from "#test/support/knowledge/relevance-set.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "hybrid" };
const reader = { ...scope, userId: "u" };
const paraphrased = Object.entries(paraphrasedQuestions).flatMap(([title, questions]) =>
  questions.split("\n").map((question) => ({ question, title })),
);

let table: MeteredTable;
let provider: EmbeddingServer;
/** Titles by key of the passage. Each document is one passage. */
const titles = new Map<string, string>();

/** Jobs that compute the vectors for which the provider was too slow while the documents were indexed. */
const jobs: EmbeddingJob[] = [];

vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async (_queue: string, body: string) => jobs.push(JSON.parse(body)),
}));

beforeAll(async () => {
  if (!isFullRun) return;
  const embed = await loadEmbeddingModel();
  // A search does not wait long for the vector of its question.
  await embed([...answerableQuestions, ...paraphrased].map(({ question }) => question));
  [table, provider] = await Promise.all([startMeteredTable(), startEmbeddingServer(embed)]);
  vi.stubEnv("EMBEDDING_PROVIDER", "openai-compatible");
  vi.stubEnv("EMBEDDING_BASE_URL", provider.baseUrl);
  vi.stubEnv("EMBEDDING_ID", "sentence-encoder-lite");
  vi.stubEnv("EMBEDDING_DIMENSIONS", String(MODEL_DIMENSIONS));
  vi.stubEnv("EMBED_PASSAGES_QUEUE_URL", "http://127.0.0.1/queue");
  const documents = await indexTexts(
    scope,
    answerable.map(([title, text]) => ({ title, text })),
  );
  for (const job of jobs) await embedPassages(job);
  for (const item of await table.scan()) {
    if (item.discriminator === "passage") {
      const document = documents.find(({ id }) => id === item.document_id);
      titles.set(`tenant#${item.passage}`, document?.title ?? "");
    }
  }
});

afterAll(async () => {
  vi.unstubAllEnvs();
  provider?.close();
  await table?.stop();
});

type Search = (text: string) => Promise<readonly string[]>;

const toTitles = (passages: readonly RankedPassage[]) => passages.map(({ key }) => titles.get(key) ?? "");
const byWords: Search = async (text) => {
  const states = await readAudienceStates(reader, ["tenant"]);
  const statistics = new Map([...states].map(([audience, state]) => [audience, state.statistics]));
  const query = { text, depth: 10, statistics };
  return toTitles((await lexicalIndex.rank(reader, query)).passages);
};
const byMeaning: Search = async (text) => {
  const space = findEmbeddingSpace() as EmbeddingSpace;
  const states = await readAudienceStates(reader, ["tenant"]);
  return toTitles(await rankByMeaning(reader, { depth: 10 }, space, embedQuery(space, text), states));
};
const byBoth: Search = async (text) =>
  (await searchKnowledge(reader, { text, limit: 10, minRelevance: 0 })).map(({ title }) => title);

/** Returns nDCG@10 of a search for the one document that answers each question. */
async function measure(search: Search, questions: readonly { question: string; title: string }[]): Promise<number> {
  let sum = 0;
  for (const { question, title } of questions) {
    const place = (await search(question)).slice(0, 10).indexOf(title);
    sum += place < 0 ? 0 : 1 / Math.log2(place + 2);
  }
  return sum / questions.length;
}

describe.runIf(isFullRun)("search by words and vectors with a real embedding model", () => {
  // The factor for paraphrased questions is only 1: they share almost no word with their document, so that the search
  // by words adds only noise.
  it.each([
    { name: "literal", questions: answerableQuestions, factor: 1 },
    { name: "fully paraphrased", questions: paraphrased, factor: 1 },
    { name: "mixed", questions: [...answerableQuestions, ...paraphrased], factor: 1.05 },
  ])(
    "search by words and vectors with a real embedding model is at least $factor times as good on $name questions as the better of words and vectors alone",
    async (row) => {
      const { name, questions, factor } = row;
      const [words, meaning, both] = [
        await measure(byWords, questions),
        await measure(byMeaning, questions),
        await measure(byBoth, questions),
      ];
      console.info(
        `${questions.length} ${name} questions, nDCG@10: words ${words.toFixed(3)}, meaning ${meaning.toFixed(3)}, ` +
          `both ${both.toFixed(3)}`,
      );
      expect(Math.min(words, meaning)).toBeGreaterThan(0.1);
      expect(both).toBeGreaterThanOrEqual(factor * Math.max(words, meaning));
    },
  );
});
