import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { planQueries } from "#shared/chat/retrieval/plan-queries.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { cutAfter, startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

beforeEach(() => {
  const settings = {
    MODELS: "",
    MODEL_FALLBACK: "",
    MODEL_PROVIDER: "openai-compatible",
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_API_KEY: "sk-test",
    MODEL_FIRST_TOKEN_TIMEOUT_SECONDS: "2",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const newTurn = () =>
  ({ run: { model: "m" }, signal: new AbortController().signal, record: { operations: [] } }) as unknown as Turn;

it("search queries of a model are used, but not the last line of an answer that was cut", async () => {
  const question = "How long is the pier?";
  const reply = "pier length\nharbor measu";
  upstream.script = streamText([reply]);
  expect(await planQueries(newTurn(), question, [question])).toEqual([question, "pier length", "harbor measu"]);
  upstream.script = cutAfter({ content: reply });
  expect(await planQueries(newTurn(), question, [question])).toEqual([question, "pier length"]);
});
