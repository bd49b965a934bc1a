import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("published persona", () => {
  const publish = async (fields: object) => {
    const persona = { name: "Named", instructions: "Be brief.", visibility: "public", ...settings };
    const { body } = await api.admin.post("/v1/personas", persona);
    return { id: body.id, response: await api.admin.post(`/v1/personas/${body.id}/publish`, fields) };
  };

  it.each([
    "gpt-4.1",
    "llama3.1:8b",
    "anthropic/claude-sonnet-4-5",
    "Qwen/Qwen3-32B",
    "o4-mini@2025_04",
    "x".repeat(128),
  ])("answers under the name of a model: %s", async (slug) => {
    expect((await publish({ slug })).response.status).toBe(201);
    expect((await complete(slug)).choices[0]?.message.content).toBe("from the other provider");
    expect((await api.openai.models.retrieve(slug)).id).toBe(slug);
    const { key } = await api.createKey(["chat.completions", `endpoint:${slug}`]);
    const limited = api.createClient(key).chat.completions;
    const messages = [{ role: "user" as const, content: "Hello" }];
    expect((await limited.create({ model: slug, messages })).model).toBe(slug);
    await expect(limited.create({ model: api.slug, messages })).rejects.toMatchObject({ status: 404 });
  });

  it("answers under its aliases and the longest pattern that matches, and only once at a time", async () => {
    const first = await publish({ slug: "agent", aliases: ["claude-*", "gpt-5", "gpt-5"] });
    expect(first.response.body.endpoint).toMatchObject({ slug: "agent", aliases: ["claude-*", "gpt-5"] });
    await publish({ slug: "small-agent", aliases: ["claude-haiku-*"] });
    for (const model of ["agent", "gpt-5", "claude-opus-4-1-20250805", "claude-haiku-4-5-20251001"]) {
      const { choices, model: named } = await complete(model);
      expect([named, choices[0]?.message.content]).toEqual([model, "from the other provider"]);
      expect((await api.openai.models.retrieve(model)).id).toBe(model);
    }
    for (const model of ["claude", "gpt-5-mini", "claudette", "x".repeat(2_000)]) {
      await expect(complete(model)).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    }
    const ids = (await api.openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["agent", "gpt-5", "small-agent"]));
    expect(ids.join()).not.toContain("*");
    const { key } = await api.createKey(["chat.completions", "endpoint:small-agent"]);
    const messages = [{ role: "user" as const, content: "Hello" }];
    const limited = api.createClient(key).chat.completions;
    expect((await limited.create({ model: "claude-haiku-4-5", messages })).model).toBe("claude-haiku-4-5");
    await expect(limited.create({ model: "claude-opus-4-1", messages })).rejects.toMatchObject({ status: 404 });
    expect((await publish({ slug: "third", aliases: ["gpt-5"] })).response.status).toBe(409);

    await api.admin.post(`/v1/personas/${first.id}/publish`, { slug: "agent", aliases: ["gpt-6"] });
    await expect(complete("gpt-5")).rejects.toMatchObject({ status: 404 });
    expect((await complete("gpt-6")).model).toBe("gpt-6");
    await api.admin.post(`/v1/personas/${first.id}/publish`, {});
    expect((await complete("gpt-6")).model).toBe("gpt-6");
    await api.admin.delete(`/v1/personas/${first.id}/publish`);
    for (const model of ["agent", "gpt-6", "claude-opus-4-1"]) {
      await expect(complete(model)).rejects.toMatchObject({ status: 404 });
    }
  });

  it.each([
    { slug: "" },
    { slug: "-x" },
    { slug: "a b" },
    { slug: "claude-*" },
    { slug: "x".repeat(129) },
    { slug: "ok", aliases: ["*"] },
    { slug: "ok", aliases: ["claude*"] },
    { slug: "ok", aliases: ["a#b"] },
    { slug: "ok", aliases: Array.from({ length: 11 }, (_, index) => `m-${index}`) },
  ])("is refused with a name that no program sends: %j", async (fields) => {
    expect((await publish(fields)).response.status).toBe(400);
  });
});
