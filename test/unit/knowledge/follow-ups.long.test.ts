import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emptyHistory } from "#shared/chat/context/history-messages.ts";
import { runPhase } from "#shared/chat/phases/phase.ts";
import { retrieval } from "#shared/chat/phases/retrieval.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { requester, startTurn } from "#test/support/chat/turns.ts";
import { type FollowUp, followUps, neighbors } from "#test/support/knowledge/follow-up-questions.ts";
import { indexTexts } from "#test/support/knowledge/index-texts.ts";
import { answerable } from "#test/support/knowledge/relevance-set.ts";
import { startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async () => {},
}));

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
  await indexTexts(
    requester,
    [...answerable, ...neighbors].map(([title, text]) => ({ title, text })),
  );
  turn = await startTurn("THINKING");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await table?.stop();
  await upstream?.stop();
});

/** Returns true if the document with the answer is among the first three sources of a question. */
async function isFound({ earlier, question, title }: FollowUp, isFollowUp: boolean): Promise<boolean> {
  const content = (text: string) => [{ type: "text" as const, text }];
  const main = [
    { role: "user" as const, content: content(earlier) },
    { role: "assistant" as const, content: content("This is in the document.") },
  ];
  const state = {
    history: isFollowUp ? { ...emptyHistory, main } : emptyHistory,
    historyOrigins: isFollowUp ? ["source"] : [],
  };
  const asked = {
    ...turn,
    answer: { ...turn.answer, sources: [] as Turn["answer"]["sources"] },
    questionText: question,
    ...state,
  };
  await Array.fromAsync(runPhase(retrieval, asked));
  return asked.answer.sources.slice(0, 3).some((source) => source.title === title);
}

/** Returns the share of the questions whose document is among the first three sources. */
async function measure(isFollowUp: boolean, prepare: (followUp: FollowUp) => void = () => {}) {
  let found = 0;
  for (const followUp of followUps) {
    prepare(followUp);
    if (await isFound(followUp, isFollowUp)) found++;
  }
  return found / followUps.length;
}

describe("search for 100 follow-up questions over 30 documents", () => {
  it("search for 100 follow-up questions over 30 documents finds the right document among the first three sources in 90 % together with the question before, and in fewer as typed", async () => {
    upstream.script = streamText([" "]);
    const [typed, completed] = [await measure(false), await measure(true)];
    console.info(`as typed ${typed}, with the question before ${completed}`);
    expect(completed).toBeGreaterThanOrEqual(0.9);
    expect(typed).toBeLessThan(0.6);
  });

  it("search for 100 follow-up questions over 30 documents finds the right document among the first three sources in 95 % with a model", async () => {
    const completed = await measure(true, (followUp) => {
      upstream.script = streamText([followUp.completed]);
    });
    console.info(`completed by a model ${completed}`);
    expect(completed).toBeGreaterThanOrEqual(0.95);
  });
});
