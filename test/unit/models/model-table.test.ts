import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { ChatChunk } from "#shared/models/chat-chunk.ts";
import { selectModel, withFallback } from "#shared/models/model.ts";
import { parseModelTable } from "#shared/models/model-settings.ts";
import { listModelNames, selectTierModel } from "#shared/models/model-table.ts";
import { type CompletionRequest, openCompletion } from "#shared/models/open-completion.ts";
import { errorResponse, startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";

let first: Upstream;
let second: Upstream;
let third: Upstream;

beforeAll(async () => {
  [first, second, third] = await Promise.all([startUpstream(), startUpstream(), startUpstream()]);
});

afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop(), third?.stop()]);
});

const createTable = () => ({
  providers: {
    one: { type: "openai-compatible", base_url: first.baseUrl, api_key: "sk-one" },
    two: { type: "openai-compatible", base_url: second.baseUrl, api_key: "sk-two" },
    local: { type: "openai-compatible", base_url: third.baseUrl },
  },
  models: {
    large: { provider: "one", id: "gpt-4.1", fallback: ["small", "local"] },
    small: { provider: "two" },
    local: { provider: "local" },
  },
  tiers: {
    default: "large",
    QUICK: [
      { model: "small", weight: 3 },
      { model: "local", weight: 1 },
    ],
  },
});

beforeEach(() => {
  for (const name of ["MODEL_PROVIDER", "MODEL_BASE_URL", "MODEL_API_KEY", "MODEL_FALLBACK"]) vi.stubEnv(name, "");
  vi.stubEnv("MODEL_FIRST_TOKEN_TIMEOUT_SECONDS", "5");
  vi.stubEnv("LOG_LEVEL", "error");
  vi.stubEnv("MODELS", JSON.stringify(createTable()));
  for (const { requests } of [first, second]) requests.length = 0;
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const request: CompletionRequest = {
  toBody: () => ({ messages: [{ role: "user", content: "Hi" }] }),
  toOptions: () => ({ prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] }),
};

async function complete(name: string) {
  const { modelId, result } = await openCompletion(withFallback(name), request, {});
  const chunks: ChatChunk[] = await Array.fromAsync(result);
  return { modelId, text: chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? "")).join("") };
}

it("setting MODELS determines the provider of each model and the model's id there", async () => {
  first.script = streamText(["from one"]);
  second.script = streamText(["from two"]);
  expect(await complete("large")).toEqual({ modelId: "large", text: "from one" });
  expect(await complete("small")).toEqual({ modelId: "small", text: "from two" });
  const received = [first, second].map(({ requests }) => [requests[0]?.authorization, requests[0]?.body.model]);
  expect(received).toEqual([
    ["Bearer sk-one", "gpt-4.1"],
    ["Bearer sk-two", "small"],
  ]);
});

it("setting MODELS allows a chain of fallback models of different providers", async () => {
  first.script = errorResponse(400, "no");
  second.script = streamText(["from two"]);
  expect(await complete("large")).toEqual({ modelId: "small", text: "from two" });
  second.script = errorResponse(400, "no");
  expect((await complete("large")).modelId).toBe("local");
});

it("setting MODELS distributes the requests of a tier among models by weight", () => {
  const selected = [0, 0.5, 0.74, 0.76, 0.999].map((random) => selectTierModel("QUICK", random));
  expect(selected).toEqual(["small", "small", "small", "local", "local"]);
  expect(selectTierModel("RESEARCH")).toBe("large");
});

it("setting MODELS provides a persona's model, or the tier's model if the persona's model is no longer configured", () => {
  expect(selectModel({ tier: "THINKING", model: "local" })).toBe("local");
  expect(selectModel({ tier: "THINKING", model: "gone" })).toBe("large");
  expect(selectModel({ tier: "THINKING", model: null })).toBe("large");
  expect(listModelNames()).toEqual(["large", "small", "local"]);
});

const change = (path: string, value: unknown) => {
  const table: Record<string, unknown> = structuredClone(createTable());
  const names = path.split(".");
  let parent = table;
  for (const name of names.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  parent[names.at(-1) as string] = value;
  return JSON.stringify(table);
};

it.each([
  ["models.large.provider", "none", "models.large names the unknown provider none"],
  ["models.large.fallback", ["none"], "models.large.fallback names the unknown model none"],
  ["tiers.default", "none", "tiers.default names the unknown model none"],
  ["tiers.QUICK", [{ model: "small", weight: 0 }], "tiers.QUICK"],
  ["providers.one.base_url", undefined, "providers.one requires base_url"],
  ["models.large.first_token_timeout_seconds", 841, "must be at most 840"],
  ["models.large.unknown_fields", "ignore", "unknown_fields"],
  ["models.large.prices", [{ input: -1, output: 1 }], "must not be negative"],
  ["unknown", 1, "unknown"],
])("parseModelTable() rejects an invalid value of %s", (path, value, message) => {
  expect(() => parseModelTable(change(path, value))).toThrow(message);
});

it("parseModelTable() rejects text that is not JSON", () => {
  expect(() => parseModelTable("{")).toThrow("MODELS must be JSON");
});
