import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { chunk, errorResponse, startEventStream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { validated } from "#test/support/openai/openai-schemas.ts";

let surface: OpenaiApi;
let upstream: Upstream;
let admin: Client;
let slug: string;
let openai: OpenAI;

beforeAll(async () => {
  surface = await startOpenaiApi();
  ({ upstream, admin, slug, openai } = surface);
});

afterAll(async () => {
  await surface?.stop();
  // Every one of these answers was held against the schemas.
  expect(validated.bodies).toBeGreaterThan(20);
  expect(validated.streams).toBeGreaterThan(3);
});

const hello = [{ role: "user" as const, content: "Hello" }];

describe("the official client", () => {
  it("creates a completion", async () => {
    upstream.script = streamText(["Hello", " there"], {
      usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 },
    });
    const { data, response } = await openai.chat.completions.create({ model: slug, messages: hello }).withResponse();
    expect(data).toMatchObject({
      object: "chat.completion",
      model: slug,
      choices: [{ index: 0, message: { role: "assistant", content: "Hello there" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 },
    });
    expect(response.headers.get("x-ratelimit-limit-requests")).toBe("1000000");
    expect(upstream.requests.at(-1)?.body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
  });

  it("streams, with usage where asked for", async () => {
    upstream.script = streamText(["a", "b", "c"]);
    const stream = await openai.chat.completions.create({
      model: slug,
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: "assistant" });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("abc");
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason).length).toBe(1);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    upstream.script = streamText(["x"]);
    const plain = await Array.fromAsync(
      await openai.chat.completions.create({ model: slug, messages: hello, stream: true }),
    );
    expect(plain.every((entry) => !("usage" in entry) && entry.choices.length === 1)).toBe(true);
  });

  it("uses the stream helper", async () => {
    upstream.script = streamText(["one ", "two"]);
    const runner = openai.chat.completions.stream({ model: slug, messages: hello });
    expect(await runner.finalContent()).toBe("one two");
  });

  it("passes tools through to the model and its calls back, parallel ones too", async () => {
    const tools = [
      {
        type: "function" as const,
        function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
      },
    ];
    upstream.script = async (response) => {
      startEventStream(response);
      const call = (index: number, id: string, city: string) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name: "weather", arguments: "" } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: `{"city":` } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: `"${city}"}` } }] }),
      ];
      response.write(chunk({ role: "assistant", content: null }));
      for (const piece of [...call(0, "call_1", "Bern"), ...call(1, "call_2", "Rom")]) response.write(piece);
      response.write(chunk({}, { finish_reason: "tool_calls" }));
      response.end("data: [DONE]\n\n");
    };
    const expected = [
      { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } },
      { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Rom"}' } },
    ];
    const whole = await openai.chat.completions.create({ model: slug, messages: hello, tools });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: expected } });
    const streamed = openai.chat.completions.stream({ model: slug, messages: hello, tools });
    expect((await streamed.finalMessage()).tool_calls).toMatchObject(expected);
    expect(upstream.requests.at(-1)?.body.tools[0].function.name).toBe("weather");

    upstream.script = streamText(["Sunny"]);
    const answer = await openai.chat.completions.create({
      model: slug,
      messages: [
        ...hello,
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "21 degrees" },
      ],
      tools,
    });
    expect(answer.choices[0]?.message.content).toBe("Sunny");
    expect(upstream.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: "tool",
      tool_call_id: "call_1",
      content: "21 degrees",
    });
  });

  it("passes settings on", async () => {
    upstream.script = streamText(["{}"]);
    await openai.chat.completions.create({
      model: slug,
      messages: [{ role: "developer", content: [{ type: "text", text: "Speak JSON" }] }, ...hello],
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 50,
      stop: ["END"],
      seed: 7,
      response_format: { type: "json_object" },
      user: "u-1",
    });
    expect(upstream.requests.at(-1)?.body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 50,
      stop: ["END"],
      seed: 7,
      response_format: { type: "json_object" },
    });
  });

  it("lists and retrieves the models a key can address", async () => {
    const { data } = await openai.models.list();
    expect(data).toContainEqual({ id: slug, object: "model", created: expect.any(Number), owned_by: "organization" });
    expect((await openai.models.retrieve(slug)).id).toBe(slug);
    const other = await surface.publishPersona();
    const narrow = surface.createClient(
      (await surface.createKey(["chat.completions", "models.read", `endpoint:${other}`])).key,
    );
    expect((await narrow.models.list()).data.map(({ id }) => id)).toEqual([other]);
    await expect(narrow.models.retrieve(slug)).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    await expect(narrow.chat.completions.create({ model: slug, messages: hello })).rejects.toMatchObject({
      status: 404,
    });
  });

  it("gets errors of the class, type and code it knows", async () => {
    const wrong = (apiKey: string) =>
      surface.createClient(apiKey).chat.completions.create({ model: slug, messages: hello });
    await expect(wrong("swk_abcdefgh_00000000000000000000000000000000")).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    await expect(wrong("sk-other")).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
      type: "invalid_request_error",
    });
    await expect(surface.createClient("sk-other").models.list()).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    const { id, key } = await surface.createKey(["models.read"]);
    await expect(wrong(key)).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    await expect(wrong(key)).rejects.toMatchObject({ type: "permission_error", code: "insufficient_permissions" });
    await admin.delete(`/v1/tenant/api-keys/${id}`);
    await expect(wrong(key)).rejects.toMatchObject({ status: 401 });
    await expect(openai.chat.completions.create({ model: "nobody", messages: hello })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const foreign = await surface.publishPersona({}, new Client(newIdentity(), surface.service.baseUrl));
    const unknown = openai.chat.completions.create({ model: "nobody", messages: hello }).catch((error) => error.error);
    const theirs = openai.chat.completions.create({ model: foreign, messages: hello }).catch((error) => error.error);
    expect(await theirs).toEqual(await unknown);
    for (const [fields, param] of [
      [{ messages: [] }, "messages"],
      [{ messages: [{ role: "wizard", content: "x" }] }, "messages.0.role"],
      [{ messages: [{ role: "user" }] }, "messages.0.content"],
      [{ n: 2 }, "n"],
      [{ temperature: 3 }, "temperature"],
      [{ messages: [{ role: "tool", tool_call_id: "x", content: "y" }] }, "messages.0.tool_call_id"],
    ] as const) {
      const asked = openai.chat.completions.create({ model: slug, messages: hello, ...fields } as never);
      await expect(asked).rejects.toMatchObject({ status: 400, type: "invalid_request_error", param });
    }
    upstream.script = errorResponse(500, "secret detail of the provider");
    const failed = await openai.chat.completions.create({ model: slug, messages: hello }).catch((error) => error);
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
    expect(JSON.stringify(failed.error)).not.toContain("secret detail");
  });

  it("is told in the stream when the provider breaks off", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "Half" }));
      setTimeout(() => response.destroy(), 30);
    };
    const stream = await openai.chat.completions.create({ model: slug, messages: hello, stream: true });
    const seen: string[] = [];
    const reading = async () => {
      for await (const { choices } of stream) seen.push(choices[0]?.delta.content ?? "");
    };
    await expect(reading()).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(seen.join("")).toBe("Half");
  });

  it("uses a persona's knowledge, and tells nobody of it", async () => {
    const { body: collection } = await admin.post("/v1/knowledge/collections", {
      name: `Facts ${randomUUID()}`,
      visibility: "tenant",
    });
    const path = `/v1/knowledge/collections/${collection.id}/documents`;
    const { body: document } = await admin.post(path, {
      title: "Lamp",
      text: "The lamp burns rapeseed oil since 1874.",
    });
    await expect
      .poll(async () => (await admin.get(`${path}/${document.id}`)).body.status, { timeout: 10_000 })
      .toBe("ready");
    const knowing = await surface.publishPersona({ collection_ids: [collection.id], tier: "THINKING" });
    upstream.script = streamText(["Oil"]);
    const answer = await openai.chat.completions.create({
      model: knowing,
      messages: [{ role: "user", content: "What oil does the lamp burn?" }],
    });
    expect(upstream.requests.at(-1)?.body.messages[0].content).toContain("rapeseed oil since 1874");
    expect(JSON.stringify(answer)).not.toMatch(/rapeseed|Be brief/);
  });

  it("leaves a trace of when its key was used, and no message", async () => {
    const { id, key } = await surface.createKey(["models.read"]);
    await surface.createClient(key).models.list();
    const used = async () =>
      (await admin.get("/v1/tenant/api-keys")).body.keys.find((entry: { id: string }) => entry.id === id).last_used_at;
    await expect.poll(used, { timeout: 10_000 }).not.toBeNull();
    expect(Math.abs(Date.parse(await used()) - Date.now())).toBeLessThan(60_000);
    expect((await admin.get("/v1/conversations")).body.conversations).toEqual([]);
  });
});
