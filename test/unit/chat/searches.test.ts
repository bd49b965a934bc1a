import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { buildPrompt } from "#shared/chat/context/build-prompt.ts";
import { emptyHistory } from "#shared/chat/context/history-messages.ts";
import { runPhase } from "#shared/chat/phases/phase.ts";
import { retrieval } from "#shared/chat/phases/retrieval.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { deserializeTurn, serializeTurn } from "#shared/chat/turn-state.ts";
import { promptText } from "#shared/models/prompt-text.ts";
import { startTurn } from "#test/support/chat/turns.ts";
import { cutAfter, errorResponse, startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
let upstream: Upstream;
/** Texts that were searched, and the earlier questions that were searched with them. */
const searched: string[] = [];
const contexts: (readonly string[])[] = [];

/** True if the asker can read any knowledge. */
let hasKnowledge = true;
vi.mock("#shared/knowledge/search/has-passages.ts", () => ({ hasPassages: async () => hasKnowledge }));

vi.mock("#shared/knowledge/search/readable-documents.ts", () => ({
  findReadableDocuments: async () => new Map([["d", { id: "d", title: "Handbook" }]]),
}));
vi.mock("#shared/knowledge/search/read-beginnings.ts", () => ({ readBeginnings: async () => [] }));

/** Search that finds one passage about each of the known subjects in the query. */
vi.mock("#shared/knowledge/search/search-knowledge.ts", () => ({
  searchKnowledge: async (
    _: unknown,
    { text, context = [], minRelevance = 0.52 }: { text: string; context?: readonly string[]; minRelevance?: number },
  ) => {
    searched.push(text);
    contexts.push(context);
    const known = minRelevance < 0.52 ? ["sick"] : ["leave", "burns", "nosebleed", "wasp"];
    const subjects = known.filter((subject) => text.toLowerCase().includes(subject));
    const found = subjects.length > 1 ? subjects.slice(0, 1) : subjects;
    return found.map((subject) => ({
      chunk_id: `${subject}.0`,
      document_id: subject,
      title: subject,
      text: `About ${subject}.`,
      snippet: "",
      matched_terms: [subject],
    }));
  },
}));

beforeAll(async () => {
  [table, upstream] = await Promise.all([startMeteredTable(), startUpstream()]);
  const model = {
    MODEL_PROVIDER: "openai-compatible",
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_ID: "m",
    MODELS: "",
    MODEL_FALLBACK: "",
  };
  for (const [name, value] of Object.entries({
    ...model,
    MODEL_ID_QUICK: "",
    MODEL_ID_THINKING: "",
    MODEL_ID_RESEARCH: "",
    MODEL_API_KEY: "",
    GUARDRAIL_PROVIDER: "local",
  })) {
    vi.stubEnv(name, value);
  }
});
beforeEach(() => {
  searched.length = 0;
  contexts.length = 0;
  upstream.requests.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await table?.stop();
  await upstream?.stop();
});

/** Searches for a question after another one that was answered. */
async function searchFor(question: string, earlier: string | null = null, state: Partial<Turn> = {}): Promise<Turn> {
  const turn = Object.assign(await startTurn("THINKING"), state, { questionText: question });
  if (earlier !== null) {
    const content = (text: string) => [{ type: "text" as const, text }];
    const main = [
      { role: "user" as const, content: content(earlier) },
      { role: "assistant" as const, content: content("Thirty days.") },
    ];
    Object.assign(turn, { history: { ...emptyHistory, main } });
  }
  await Array.fromAsync(runPhase(retrieval, turn));
  return turn;
}

it("search for a question that continues an earlier one uses the question that a small model call completes, after the typed one, and leaves the prompt as typed", async () => {
  upstream.script = streamText(["How many days of annual leave do interns get?"]);
  const turn = await searchFor("and for interns?", "How many days of annual leave do I have?");
  expect(searched).toEqual(["and for interns?", "How many days of annual leave do interns get?"]);
  expect(upstream.requests).toHaveLength(1);
  expect(upstream.requests[0]?.body).toMatchObject({ max_tokens: 100 });
  expect(JSON.stringify(upstream.requests[0]?.body)).toContain("Thirty days.");
  expect(turn.record.usage?.outputTokens.total).toBeGreaterThan(0);
  const prompt = promptText(buildPrompt(turn));
  expect(prompt).toContain("and for interns?");
  expect(prompt).not.toContain("do interns get");
});

it("search for a question that the model finds complete is not repeated", async () => {
  const complete = "How many days of annual leave do interns get?";
  upstream.script = streamText(["="]);
  const { searchedQuestion } = await searchFor(complete, "When is the canteen open?");
  expect(searched).toEqual([complete]);
  expect(searchedQuestion).toBe(complete);
  expect(upstream.requests).toHaveLength(1);
});

it("search for the typed question runs during the model call that completes it", async () => {
  let searchedBefore: readonly string[] = [];
  upstream.script = async (response, request) => {
    await vi.waitFor(() => expect(searched).not.toEqual([]), { timeout: 180_000 });
    searchedBefore = [...searched];
    await streamText(["How many days of annual leave do interns get?"])(response, request);
  };
  await searchFor("and for interns?", "How many days of annual leave do I have?");
  expect(searchedBefore).toEqual(["and for interns?"]);
});

it("search calls no model for the first question of a conversation, for thanks, and for a long question", async () => {
  const long = `How many days of leave do interns get? ${"I work in the mornings. ".repeat(20)}`;
  await searchFor("and for interns?");
  await searchFor("Thank you!", "When is the canteen open?");
  await searchFor(long, "When is the canteen open?");
  expect(upstream.requests).toEqual([]);
});

it("search for a question that continues an earlier one calls no model when the asker can read no knowledge", async () => {
  hasKnowledge = false;
  await searchFor("and for interns?", "How many days of annual leave do I have?");
  hasKnowledge = true;
  expect(searched).toEqual(["and for interns?"]);
  expect(upstream.requests).toEqual([]);
});

it("search for a question that continues an earlier one uses both questions when the model fails, returns no question or returns a blank", async () => {
  const cut = cutAfter({ content: "The user asks about interns, so that" });
  for (const script of [errorResponse(400, "refused"), streamText(["x".repeat(500)]), streamText([" "]), cut]) {
    contexts.length = 0;
    upstream.script = script;
    await searchFor("and for interns?", "How many days of annual leave do I have?");
    expect(contexts.at(-1)).toEqual(["How many days of annual leave do I have?"]);
  }
});

const earlier = "How many days of annual leave do I have?";
const question = "Who pays while an employee is sick?";

it("search that finds nothing is repeated and then accepts less similar passages, only in a conversation with text of others", async () => {
  upstream.script = streamText([question]);
  const turn = await searchFor(question, earlier, { historyOrigins: ["file"] });
  expect(searched).toEqual([question, question]);
  expect(turn.answer.sources.map(({ title }) => title)).toEqual(["sick"]);
  expect((await searchFor(question, earlier)).answer.sources).toEqual([]);
  const answered = await searchFor(`How are burns treated? ${question}`, earlier, { historyOrigins: ["file"] });
  expect(answered.answer.sources.map(({ title }) => title)).toEqual(["burns", "sick"]);
});

it("search in the documents that a question names accepts passages of any relevance", async () => {
  const turn = await startTurn("THINKING");
  const documents = [{ collection_id: "c", document_id: "d", title: "Handbook" }];
  const { answer } = await searchFor(question, null, { question: { ...turn.question, documents } });
  expect(answer.sources.map(({ title }) => title)).toEqual(["sick"]);
});

it("search by meaning that finds nothing does not accept less similar passages, even in a conversation with text of others", async () => {
  vi.stubEnv("EMBEDDING_PROVIDER", "openai-compatible");
  vi.stubEnv("EMBEDDING_BASE_URL", upstream.baseUrl);
  vi.stubEnv("EMBEDDING_ID", "m");
  upstream.script = streamText([question]);
  const turn = await searchFor(question, earlier, { historyOrigins: ["file"] });
  vi.stubEnv("EMBEDDING_PROVIDER", "none");
  expect(turn.answer.sources).toEqual([]);
});

it("search for a question of several parts searches each part on the tier THINKING and tells the model which part has no source", async () => {
  const turn = await searchFor(
    "How are burns treated, and how is a nosebleed stopped, and what does a tick bite look like?",
  );
  expect(turn.answer.sources.map(({ title }) => title)).toEqual(["burns", "nosebleed"]);
  expect(turn.unansweredParts).toEqual(["what does a tick bite look like?"]);
  expect(promptText(buildPrompt(turn))).toContain(
    "found nothing for these parts of the question. Say so in the answer:\n- what does a tick bite look like?",
  );
  expect(deserializeTurn([...serializeTurn(turn)][0] ?? "", turn.signal)).toMatchObject({
    searchedQuestion: turn.searchedQuestion,
    unansweredParts: turn.unansweredParts,
  });
});

it("search for a question with an enumeration searches again for the items that the first search does not cover", async () => {
  const turn = await searchFor("How are burns and wasp stings treated?");
  expect(searched).toEqual(["How are burns and wasp stings treated?", "How are wasp stings treated?"]);
  expect(turn.answer.sources.map(({ title }) => title)).toEqual(["burns", "wasp"]);
  expect(turn.unansweredParts).toEqual([]);
});

it("search for a question of several parts reports no unanswered part when nothing was found for the whole question", async () => {
  const turn = await searchFor("Who won the cup and where is Atlantis?");
  expect(turn.unansweredParts).toEqual([]);
});
