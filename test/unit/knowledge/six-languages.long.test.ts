import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runPhase } from "#shared/chat/phases/phase.ts";
import { retrieval } from "#shared/chat/phases/retrieval.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { requester, startTurn } from "#test/support/chat/turns.ts";
import { indexTexts } from "#test/support/knowledge/index-texts.ts";
import set from "#test/support/knowledge/six-languages.json" with { type: "json" };
import { startUpstream, type Upstream } from "#test/support/models/upstream.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async () => {},
}));

/** Number of questions at the same time. A search that takes too long, as on a busy machine, is given up. */
const CONCURRENCY = 4;

let table: MeteredTable;
let upstream: Upstream;
let turn: Turn;

beforeAll(async () => {
  [table, upstream] = await Promise.all([startMeteredTable(), startUpstream()]);
  for (const [name, value] of Object.entries({ MODELS: "", MODEL_FALLBACK: "", MODEL_API_KEY: "" }))
    vi.stubEnv(name, value);
  for (const tier of ["QUICK", "THINKING", "RESEARCH"]) vi.stubEnv(`MODEL_ID_${tier}`, "");
  vi.stubEnv("GUARDRAIL_PROVIDER", "local");
  vi.stubEnv("MODEL_PROVIDER", "openai-compatible");
  vi.stubEnv("MODEL_BASE_URL", upstream.baseUrl);
  vi.stubEnv("MODEL_ID", "m");
  await indexTexts(requester, set.documents);
  turn = await startTurn("THINKING");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await table?.stop();
  await upstream?.stop();
});

/** Returns the names of the documents among the sources of a first question. */
async function findSources(question: string): Promise<(string | undefined)[]> {
  const asked = {
    ...turn,
    answer: { ...turn.answer, sources: [] as Turn["answer"]["sources"] },
    questionText: question,
  };
  await Array.fromAsync(runPhase(retrieval, asked));
  const titles = new Map(set.documents.map(({ title, name }) => [title, name]));
  return asked.answer.sources.map(({ title }) => titles.get(title));
}

describe("search over 40 short documents in six languages", () => {
  it("search over 40 short documents in six languages finds all documents for 90 % of compound questions", async () => {
    const complete = await mapConcurrent(
      set.compound,
      async ({ question, documents }) => {
        const sources = await findSources(question);
        return documents.every((name) => sources.includes(name));
      },
      CONCURRENCY,
    );
    expect(complete.filter(Boolean).length / set.compound.length).toBeGreaterThanOrEqual(0.9);
  });

  it("search over 40 short documents in six languages gives few outside questions a source, and most paraphrased inside ones", async () => {
    const outside = await mapConcurrent(set.outside, findSources, CONCURRENCY);
    const inside = await mapConcurrent(
      set.inside,
      async ({ question, document }) => (await findSources(question)).includes(document),
      CONCURRENCY,
    );
    const rates = [outside.filter(({ length }) => length > 0).length, inside.filter(Boolean).length];
    console.info(`outside with a source: ${rates[0]}, inside found: ${rates[1]}`);
    expect((rates[0] ?? 0) / set.outside.length).toBeLessThanOrEqual(0.06);
    expect((rates[1] ?? 0) / set.inside.length).toBeGreaterThanOrEqual(0.56);
  });
});
