import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { attachInvestigation } from "#shared/chat/attached-investigation.ts";
import { generation } from "#shared/chat/phases/generation.ts";
import { type Phase, runPhase } from "#shared/chat/phases/phase.ts";
import { preflight } from "#shared/chat/phases/preflight.ts";
import { retrieval } from "#shared/chat/phases/retrieval.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { addMessage } from "#shared/conversations/message-store.ts";
import { newNote } from "#shared/memory/note-store.ts";
import type { RunEvent } from "#shared/runs/events.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";
import { requester, startTurn } from "#test/support/chat/turns.ts";
import { chunk, startEventStream, startUpstream, type Upstream } from "#test/support/models/upstream.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
let upstream: Upstream;

beforeAll(async () => {
  table = await startMeteredTable();
  upstream = await startUpstream();
  const model = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_API_KEY: "" };
  Object.assign(process.env, model, {
    MODELS: "",
    MODEL_ID: "m",
    MODEL_ID_THINKING: "",
    MODEL_ID_RESEARCH: "",
    MODEL_FALLBACK: "",
    GUARDRAIL_PROVIDER: "local",
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await table?.stop();
  await upstream?.stop();
});

/** Search without results, whose reranking provider fails. */
vi.mock("#shared/knowledge/search/search-knowledge.ts", () => ({
  searchKnowledge: async (_: unknown, query: { rerank?: boolean; onRerankFailed?: () => void }) => {
    if (query.rerank) query.onRerankFailed?.();
    return [];
  },
}));

const eventsOf = (phase: Phase, turn: Turn): Promise<RunEvent[]> => Array.fromAsync(runPhase(phase, turn));

it("preflight phase of a chat turn reads all of 300 short messages for a model with a large window", async () => {
  vi.stubEnv("MODEL_ID", "gpt-4o");
  const turn = await startTurn("THINKING", 300);
  const events = await eventsOf(preflight, turn);
  const text = JSON.stringify(turn.history.main);
  expect([text.includes("No. 0\\n") || text.includes('No. 0"'), text.includes("No. 299")]).toEqual([true, true]);
  expect(events).toEqual([]);
});

it("generation phase of a chat turn warns when the messages exceed the model's window", async () => {
  const turn = await startTurn("THINKING");
  for (let n = 0; n < 8; n++) {
    const { message_id, conversation_id } = turn.question;
    const earlier = { ...newUserMessage(conversation_id, `${n} ${"word ".repeat(6_000)}`) };
    await addMessage(requester, { ...earlier, message_id: message_id.replace(/^.{4}/, `000${n}`) });
  }
  expect(await eventsOf(preflight, turn)).toEqual([]);
  const events = await eventsOf(generation, turn);
  expect(events.filter(({ type }) => type === "preflight_warning")).toMatchObject([
    { data: { code: "history_trimmed" } },
  ]);
});

it.each(["user", "assistant", "alert"] as const)(
  "preflight phase of a chat turn redacts an edited message of the role %s like a new question",
  async (role) => {
    const turn = await startTurn("THINKING");
    const { conversation_id } = turn.question;
    const addEarlierMessage = async (text: string, edited_at: string | null) => {
      const { message_id, created_at } = turn.question;
      await addMessage(requester, {
        ...newUserMessage(conversation_id, text),
        message_id: message_id.replace(/^.{4}/, edited_at ? "0000" : "0001"),
        role,
        created_at,
        edited_at,
      });
    };
    await addEarlierMessage("My card is 4111 1111 1111 0535.", "2026-01-01T00:00:00.000Z");
    await addEarlierMessage("The sky is blue.", null);
    await eventsOf(preflight, turn);
    // The stored messages are kept for the summary, which checks them again.
    const { stored: _, ...prompted } = turn.history;
    const history = JSON.stringify(prompted);
    expect(history).toContain("My card is [card number].");
    expect(history).not.toContain("4111");
    expect(history).toContain("The sky is blue.");
  },
);

it("retrieval phase of a chat turn leaves notes out when the guardrail that checks them is unreachable", async () => {
  // No server listens on port 1.
  const guardrail = { GUARDRAIL_PROVIDER: "bedrock", GUARDRAIL_ID: "g", GUARDRAIL_VERSION: "1" };
  const aws = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" };
  const settings = { ...guardrail, ...aws, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://127.0.0.1:1" };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const turn = await startTurn("THINKING");
  const note = newNote("asker", { title: "N", body: "Obey", tags: [], pinned: false, conversation_id: null });
  Object.assign(turn, { attachedNotes: [note] });
  const events = await eventsOf(retrieval, turn);
  expect(events).toMatchObject([{ type: "preflight_warning", data: { code: "knowledge_unavailable" } }]);
  expect(turn.notes).toEqual([]);
});

it("retrieval phase of an investigation leaves notes out and continues when the guardrail that checks them is unreachable", async () => {
  const guardrail = { GUARDRAIL_PROVIDER: "bedrock", GUARDRAIL_ID: "g", GUARDRAIL_VERSION: "1" };
  const aws = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" };
  const settings = { ...guardrail, ...aws, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://127.0.0.1:1" };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const turn = await startTurn("THINKING");
  const note = newNote("asker", { title: "N", body: "Obey", tags: [], pinned: false, conversation_id: null });
  Object.assign(turn, { attachedNotes: [note] });
  const incident = { section: "It burns.", investigation: null };
  attachInvestigation(turn, {
    async *readIncident() {
      yield { type: "thinking_step", data: { step: 1, title: "Reading", detail: "" } };
      return incident;
    },
    async *investigate() {},
  });
  expect((await eventsOf(retrieval, turn)).map(({ type }) => type)).toEqual(["thinking_step"]);
  expect(turn).toMatchObject({ notes: [], incident });
});

it("retrieval phase of a chat turn warns once on the tier RESEARCH when the reranking provider fails", async () => {
  upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ content: "first query\nsecond query" }));
    response.write(chunk({}, { finish_reason: "stop" }));
    response.end("data: [DONE]\n\n");
  };
  const codesOf = async (tier: "RESEARCH" | "THINKING") =>
    (await eventsOf(retrieval, await startTurn(tier))).flatMap((event) =>
      event.type === "preflight_warning" ? [event.data.code] : [],
    );
  expect(await codesOf("RESEARCH")).toEqual(["knowledge_not_reranked"]);
  expect(await codesOf("THINKING")).toEqual([]);
});

it("generation phase of a chat turn emits a model's reasoning in steps and omits empty steps", async () => {
  upstream.script = async (response) => {
    startEventStream(response);
    for (const reasoning_content of ["One.\n\n", "Two. ".repeat(100), `\n\n${"Three. ".repeat(100)}`]) {
      response.write(chunk({ role: "assistant", reasoning_content }));
    }
    response.write(chunk({ content: "Done." }));
    response.write(chunk({}, { finish_reason: "stop" }));
    response.end("data: [DONE]\n\n");
  };
  const events = await eventsOf(generation, await startTurn("THINKING"));
  const details = events.flatMap((event) => (event.type === "thinking_step" ? event.data.detail.slice(0, 5) : []));
  expect(details).toEqual(["One.", "Two. ", "Three"]);
});
