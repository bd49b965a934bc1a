import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";

let api: OpenaiApi;
let other: Upstream;

beforeAll(async () => {
  other = await startUpstream(streamText(["from the other provider"]));
  const upstream = await startUpstream();
  await upstream.stop();
  api = await startOpenaiApi({
    MODELS: JSON.stringify({
      providers: {
        gone: { type: "openai-compatible", base_url: upstream.baseUrl },
        other: { type: "openai-compatible", base_url: other.baseUrl, api_key: "sk-other" },
      },
      models: {
        first: { provider: "gone", fallback: ["second"] },
        second: { provider: "other", id: "vendor/second-1", context_tokens: 32000, inputs: ["image"] },
      },
      tiers: { default: "first" },
    }),
  });
});

afterAll(async () => {
  await api?.stop();
  await other?.stop();
});

const complete = (model: string, fields: object = {}) =>
  api.openai.chat.completions.create({ model, messages: [{ role: "user", content: "Hello" }], ...fields });

const settings = { model: "second", temperature: 0.3, max_output_tokens: 100 };

it("persona with a model answers with its model, temperature and maximum length", async () => {
  const slug = await api.publishPersona(settings);
  expect((await complete(slug)).choices[0]?.message.content).toBe("from the other provider");
  const received = other.requests.at(-1);
  expect(received?.authorization).toBe("Bearer sk-other");
  expect(received?.body).toMatchObject({ model: "vendor/second-1", temperature: 0.3, max_completion_tokens: 100 });
});

it("persona with a model lets a request set another temperature and a smaller maximum length", async () => {
  const slug = await api.publishPersona(settings);
  await complete(slug, { temperature: 1, max_tokens: 500 });
  expect(other.requests.at(-1)?.body).toMatchObject({ temperature: 1, max_tokens: 100 });
  expect(other.requests.at(-1)?.body).not.toHaveProperty("max_completion_tokens");
  await complete(slug, { temperature: 0, max_completion_tokens: 7 });
  expect(other.requests.at(-1)?.body).toMatchObject({ temperature: 0, max_completion_tokens: 7 });
});

it("persona with a model is listed with the context window and the inputs of its model", async () => {
  const slug = await api.publishPersona(settings);
  expect(await api.openai.models.retrieve(slug)).toMatchObject({
    capabilities: { input: ["text", "image"], context_window: 32_000 },
  });
});

it("persona with a model answers in conversations with the same settings", async () => {
  const owner = new Client(newIdentity(), api.service.baseUrl);
  const persona = await owner.post("/v1/personas", { name: "Guide", ...settings });
  const conversation = await owner.post("/v1/conversations", { title: "x", persona_id: persona.body.id });
  await owner.chat({ conversation_id: conversation.body.id, content: "Hello", tier: "QUICK" });
  expect(other.requests.at(-1)?.body).toMatchObject({
    model: "vendor/second-1",
    temperature: 0.3,
    max_tokens: 100,
  });
});

it("persona with a model cannot be created with a model that is not configured", async () => {
  const { status, body } = await api.admin.post("/v1/personas", { name: "x", model: "gpt-9" });
  expect([status, body.errors[0]]).toMatchObject([400, { path: "model", message: "must be one of first, second" }]);
});

it("completion is answered by the fallback model when the provider of the first model is unreachable", async () => {
  expect((await complete(api.slug)).choices[0]?.message.content).toBe("from the other provider");
});
