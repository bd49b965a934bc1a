import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readResponse } from "#test/support/client.ts";
import { chunk, jsonResponse, startEventStream, streamText } from "#test/support/models/upstream.ts";
import { readCutStream } from "#test/support/openai/cut-stream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";

let api: OpenaiApi;

beforeAll(async () => {
  api = await startOpenaiApi();
});

afterAll(() => api?.stop());

const helloMessages = [{ role: "user", content: "Hello" }];

const post = (body: object) =>
  fetch(`${api.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${api.key}` },
    body: JSON.stringify({ model: api.slug, messages: helloMessages, ...body }),
  });

/** Sends a request and returns the body that the provider receives. */
async function forward(body: object) {
  api.upstream.script = streamText(["Fine"]);
  const response = await post(body);
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
  return api.upstream.requests.at(-1)?.body;
}

const readJson = async (response: Response) => (await readResponse(response)).body;

const readChunks = (text: string) =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));

/** Fields of other servers' dialects that OpenAI does not have. */
const dialects: readonly (readonly [server: string, fields: Record<string, unknown>])[] = [
  ["Ollama", { keep_alive: "5m", options: { num_ctx: 8_192 }, think: true, format: "json" }],
  ["OpenRouter", { transforms: ["middle-out"], models: ["a/b"], provider: { order: ["a"] }, include_reasoning: true }],
  ["Mistral", { safe_prompt: true, random_seed: 7, prompt_mode: "reasoning" }],
  ["vLLM", { prompt_logprobs: 1, add_generation_prompt: false, bad_words: ["x"], priority: 1 }],
];

describe("fields that this service does not know", () => {
  const publishWith = async (unknown_fields: string | null) => {
    const name = `dialect-${unknown_fields}`;
    const model = { name, model_id: "gpt-4o", ...(unknown_fields && { unknown_fields }), api_key: "key-of-tenant" };
    const { status, text } = await api.admin.post("/v1/models", model);
    expect([201, 409], text).toContain(status);
    return api.publishPersona({ model: name });
  };

  it.each(dialects)(
    "unknown request fields of %s are passed on, dropped or rejected as the model's settings say",
    async (_, fields) => {
      const [passing, dropping, refusing, byDefault] = await Promise.all(
        ["pass", "drop", "refuse", null].map(publishWith),
      );
      expect(await forward({ model: passing, ...fields })).toMatchObject(fields);
      expect(await forward({ model: passing, ...fields, stream: true })).toMatchObject(fields);
      const dropped = await forward({ model: dropping, ...fields });
      expect(Object.keys(fields).filter((name) => name in dropped)).toEqual([]);
      for (const model of [refusing, byDefault]) {
        const response = await post({ model, ...fields });
        expect(response.status).toBe(400);
        expect((await readJson(response)).error).toMatchObject({
          code: "unknown_parameter",
          param: Object.keys(fields)[0],
        });
      }
      expect((await post({ model: passing, ...fields, store: true })).status).toBe(400);
    },
  );

  it("model of a tenant cannot be set to pass on unknown request fields without a key of its own, because they can select another model", async () => {
    const fields = { model_id: "gpt-4o", unknown_fields: "pass" };
    const refused = await api.admin.post("/v1/models", { name: "without-key", ...fields });
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, "unknown_fields"]);
    const created = await api.admin.post("/v1/models", { name: "with-key", ...fields, api_key: "key-of-tenant" });
    expect(created.body).toMatchObject({ unknown_fields: "pass", first_token_timeout_seconds: null });
    const withoutKey = await api.admin.patch("/v1/models/with-key", { api_key: null });
    expect([withoutKey.status, withoutKey.body.errors[0].path]).toEqual([400, "unknown_fields"]);
    const changed = await api.admin.patch("/v1/models/with-key", { api_key: null, unknown_fields: "drop" });
    expect(changed.body).toMatchObject({ unknown_fields: "drop", has_key: false });
  });
});

it("model of a tenant with a first-token timeout fails when no token arrives in time", async () => {
  await api.admin.post("/v1/models", { name: "slow", model_id: "gpt-4o", first_token_timeout_seconds: 1 });
  const { body } = await api.admin.get("/v1/models");
  expect(body.models.find(({ name }: { name: string }) => name === "slow").first_token_timeout_seconds).toBe(1);
  const model = await api.publishPersona({ model: "slow" });
  const release = Promise.withResolvers<void>();
  api.upstream.script = async (response) => {
    startEventStream(response);
    await release.promise;
    response.destroy();
  };
  const text = await readCutStream(await post({ model, stream: true }));
  release.resolve();
  expect(text).toContain("did not answer in time");
});

describe("fields of a chat completions request", () => {
  const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
  const tool = { type: "function", function: { name: "f", parameters: schema, strict: true } };

  it.each([
    ["response_format", { type: "json_schema", json_schema: { name: "reply", schema, strict: true } }],
    ["max_completion_tokens", 50],
    ["max_tokens", 50],
    ["reasoning_effort", "low"],
    ["verbosity", "low"],
    ["frequency_penalty", 0.5],
    ["presence_penalty", -0.5],
    ["logit_bias", { "50256": -100 }],
    ["logprobs", true],
    ["top_logprobs", 3],
    ["seed", 7],
    ["user", "u-1"],
    ["safety_identifier", "u-1"],
    ["metadata", { team: "a" }],
    ["service_tier", "flex"],
    ["prediction", { type: "content", content: "x" }],
    ["parallel_tool_calls", false],
    ["n", 2],
    ["modalities", ["text", "audio"]],
    ["audio", { voice: "alloy", format: "wav" }],
    ["web_search_options", {}],
    ["stop", ["END"]],
    ["tools", [tool]],
    ["tool_choice", "required"],
    ["prompt_cache_key", "k"],
  ])("fields of a chat completions request are passed to the provider: %s", async (name, value) => {
    expect((await forward({ [name]: value }))[name]).toEqual(value);
  });

  it.each([
    ["store", true, "unsupported_parameter"],
    ["flavor", "vanilla", "unknown_parameter"],
    ["api_base", "http://127.0.0.1:1", "unknown_parameter"],
  ])(
    "fields of a chat completions request are rejected with 400 and their name if they are not supported: %s",
    async (name, value, code) => {
      const before = api.upstream.requests.length;
      const response = await post({ [name]: value });
      expect(response.status).toBe(400);
      expect((await readJson(response)).error).toMatchObject({ type: "invalid_request_error", param: name, code });
      expect(api.upstream.requests.length).toBe(before);
    },
  );

  it("messages of a chat completions request are passed to the provider with all their fields, except for empty lists", async () => {
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const { messages } = await forward({
      messages: [
        { role: "developer", content: [{ type: "text", text: "Be kind" }], name: "ops" },
        { role: "user", content: "Hi", name: "ada" },
        { role: "assistant", content: [{ type: "refusal", refusal: "No" }], tool_calls: [] },
        { role: "user", content: [] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "1" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "2" },
      ],
    });
    expect(messages.slice(1)).toEqual([
      { role: "developer", content: [{ type: "text", text: "Be kind" }], name: "ops" },
      { role: "user", content: "Hi", name: "ada" },
      { role: "assistant", content: [{ type: "refusal", refusal: "No" }] },
      { role: "user", content: "" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "1" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "2" },
    ]);
  });

  it("fields of a chat completions request may contain images and files, but audio is rejected with the path of its content part", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } };
    const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } };
    const content = [{ type: "text", text: "What is this?" }, image, file];
    expect((await forward({ messages: [{ role: "user", content }] })).messages.at(-1).content).toEqual(content);
    const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };
    const response = await post({ messages: [{ role: "user", content: [audio] }] });
    expect(response.status).toBe(400);
    expect((await readJson(response)).error).toMatchObject({
      param: "messages.0.content.0",
      code: "unsupported_parameter",
    });
  });

  it("chat completions request is sent again with max_completion_tokens if the provider rejects max_tokens", async () => {
    const seen: string[] = [];
    api.upstream.script = async (response, request) => {
      seen.push(...Object.keys(request.body).filter((name) => name.startsWith("max_")));
      if ("max_tokens" in request.body) {
        response.writeHead(400, { "content-type": "application/json" });
        const message = "Unsupported parameter: 'max_tokens' is not supported with this model.";
        response.end(JSON.stringify({ error: { message, type: "invalid_request_error", param: "max_tokens" } }));
        return;
      }
      await streamText(["Fine"])(response, request);
    };
    expect((await post({ max_tokens: 5 })).status).toBe(200);
    expect(seen).toEqual(["max_tokens", "max_completion_tokens"]);
  });
});

describe("fields of the provider's answer", () => {
  const logprobs = { content: [{ token: "Yes", logprob: -0.1, bytes: null, top_logprobs: [] }], refusal: null };
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 4,
    total_tokens: 13,
    prompt_tokens_details: { cached_tokens: 5, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const annotations = [{ type: "url_citation", url_citation: { url: "https://example.com", title: "E" } }];

  it("fields of the provider's answer reach the caller when the answer is not streamed", async () => {
    const message = { role: "assistant", content: "Yes", refusal: null, reasoning_content: "Hm.", annotations };
    api.upstream.script = jsonResponse({
      id: "chatcmpl-of-the-provider",
      object: "chat.completion",
      created: 1,
      model: "gpt-4o-2024-08-06",
      system_fingerprint: "fp_1",
      service_tier: "default",
      choices: [
        { index: 0, message, logprobs, finish_reason: "stop" },
        { index: 1, message: { role: "assistant", content: null, refusal: "No." }, finish_reason: "stop" },
      ],
      usage,
    });
    const body = await readJson(await post({ n: 2, logprobs: true }));
    expect(body).toMatchObject({ model: api.slug, system_fingerprint: "fp_1", service_tier: "default", usage });
    expect(body.id).not.toContain("provider");
    expect(body.choices[0]).toEqual({ index: 0, message, logprobs, finish_reason: "stop" });
    expect(body.choices[1].message).toEqual({ role: "assistant", content: null, refusal: "No." });
  });

  it("fields of the provider's answer reach the caller when the answer is streamed", async () => {
    api.upstream.script = async (response) => {
      startEventStream(response);
      const event = (fields: object) =>
        response.write(
          `data: ${JSON.stringify({ id: "p", created: 1, model: "m", system_fingerprint: "fp_1", ...fields })}\n\n`,
        );
      const choice = (delta: object, extra: object = {}) => ({
        choices: [{ index: 0, delta, finish_reason: null, ...extra }],
      });
      event(choice({ role: "assistant", reasoning_content: "Hm." }));
      event(choice({ content: "Yes" }, { logprobs }));
      event(choice({ annotations }));
      event(
        choice({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }] }),
      );
      event(
        choice({
          tool_calls: [{ index: 1, id: "call_1", type: "function", function: { name: "g", arguments: '{"a"' } }],
        }),
      );
      event(choice({}, { finish_reason: "length" }));
      event({ choices: [], usage });
      response.end("data: [DONE]\n\n");
    };
    const chunks = readChunks(
      await (await post({ stream: true, logprobs: true, stream_options: { include_usage: true } })).text(),
    );
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta));
    expect(deltas[0]).toEqual({ role: "assistant", reasoning_content: "Hm." });
    expect(deltas).toContainEqual({ annotations });
    expect(chunks.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? [])).toEqual(logprobs.content);
    expect(chunks.every(({ system_fingerprint, model }) => system_fingerprint === "fp_1" && model === api.slug)).toBe(
      true,
    );
    const names = deltas.flatMap(
      (delta) => (delta as { tool_calls?: { function: { name: string } }[] }).tool_calls ?? [],
    );
    expect(names.map((call) => call.function.name)).toEqual(["f", "g"]);
    expect(chunks.at(-2).choices[0].finish_reason).toBe("length");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
  });

  it.each(["stop", "length", "content_filter"])(
    "provider's answer with an empty text and the finish reason %s is returned as such, whole and streamed",
    async (finish_reason) => {
      api.upstream.script = async (response) => {
        startEventStream(response);
        response.write(chunk({ role: "assistant", content: "" }));
        response.write(chunk({}, { finish_reason }));
        response.end("data: [DONE]\n\n");
      };
      const whole = await readJson(await post({}));
      expect(whole.choices[0]).toMatchObject({ finish_reason, message: { content: "" } });
      expect(whole.usage.estimated).toBe(true);
      const chunks = readChunks(await (await post({ stream: true })).text());
      expect(chunks.at(-1).choices[0].finish_reason).toBe(finish_reason);
    },
  );

  it("provider's answer reaches the caller without log probabilities for the tokens of a redacted secret", async () => {
    const key = "AKIAIOSFODNN7EXAMPLE";
    const tokens = ["Key ", ...(key.match(/.{1,4}/g) ?? []), " end."];
    api.upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "" }));
      for (const token of tokens) {
        response.write(chunk({ content: token }, { logprobs: { content: [{ token, logprob: -1 }] } }));
      }
      response.write(chunk({}, { finish_reason: "stop" }));
      response.end("data: [DONE]\n\n");
    };
    const text = await (await post({ stream: true, logprobs: true })).text();
    expect(text).toContain('"token":"Key "');
    expect(text).not.toMatch(/AKIA|IOSF|ODNN/);
  });
});

it("chat completions stream starts with a comment before the provider answers, and reports a provider failure as an event", async () => {
  const answering = Promise.withResolvers<void>();
  api.upstream.script = async (response) => {
    await answering.promise;
    response.writeHead(400, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ error: { message: "Bad schema", type: "invalid_request_error", param: "tools", code: null } }),
    );
  };
  const response = await post({ stream: true });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toMatch(/^: /);
  answering.resolve();
  reader.releaseLock();
  const rest = await readCutStream(response);
  expect(JSON.parse(rest.replace(/^data: /, "")).error).toEqual({
    message: "Bad schema",
    type: "invalid_request_error",
    param: "tools",
    code: null,
  });
});

describe("mistakes have the same status, code and parameter on all routes of the OpenAI-compatible API", () => {
  const messages = helloMessages;
  const model = () => ({ model: api.slug });
  const bodies: Readonly<Record<string, () => Record<string, unknown>>> = {
    "chat/completions": () => ({ ...model(), messages }),
    completions: () => ({ ...model(), prompt: "Hello" }),
    responses: () => ({ ...model(), input: "Hello" }),
    "responses/input_tokens": () => ({ ...model(), input: "Hello" }),
    "responses/compact": () => ({ ...model(), input: "Hello" }),
    embeddings: () => ({ ...model(), input: "Hello" }),
    moderations: () => ({ input: "Hello" }),
    conversations: () => ({}),
    "conversations/conv_x": () => ({ metadata: {} }),
    "conversations/conv_x/items": () => ({ items: messages }),
    messages: () => ({ ...model(), max_tokens: 5, messages }),
    "messages/count_tokens": () => ({ ...model(), messages }),
  };
  const paths = Object.keys(bodies);
  const withModel = paths.filter((path) => !/^(conversations|moderations)/.test(path));
  const isAnthropic = (path: string) => path.startsWith("messages");
  const key = () => ({ authorization: `Bearer ${api.key}` });

  async function sendTo(
    path: string,
    body: string | Uint8Array<ArrayBuffer> | object,
    headers: Record<string, string> = {},
  ) {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const sent = { "content-type": "application/json", ...key(), ...headers };
    const init = { method: "POST", headers: sent, body: isRaw ? body : JSON.stringify(body) };
    const response = await fetch(`${api.baseUrl}/${path}`, init);
    return { status: response.status, error: (await readJson(response)).error };
  }

  type Sender = (path: string) => ReturnType<typeof sendTo>;
  const bodyOf = (path: string) => (bodies[path] as () => Record<string, unknown>)();
  const withField = (field: string, value: unknown) => (path: string) =>
    sendTo(path, { ...bodyOf(path), [field]: value });
  const raw =
    (body: string | Uint8Array<ArrayBuffer>, headers = {}): Sender =>
    (path) =>
      sendTo(path, body, headers);
  const mistakes: readonly (readonly [string, readonly string[], Sender, number, string | null, string | null])[] = [
    ["no JSON", paths, raw("{"), 400, null, null],
    ["an empty body", paths, raw(""), 400, null, null],
    ["a list", paths, raw("[]"), 400, null, null],
    ["null", paths, raw("null"), 400, null, null],
    ["Latin-1", paths, raw(new Uint8Array([0x7b, 0x22, 0xfc, 0x22, 0x3a, 0x31, 0x7d])), 400, null, null],
    ["HTML", paths, raw("{}", { "content-type": "text/html" }), 415, null, null],
    ["a compressed body", paths, raw("{}", { "content-encoding": "gzip" }), 415, null, null],
    [
      "an invalid key",
      paths,
      raw("{}", { authorization: `Bearer swk_aaaaaaaa_${"0".repeat(32)}` }),
      401,
      "invalid_api_key",
      null,
    ],
    ["an unknown field", paths, withField("zzz", 1), 400, "unknown_parameter", "zzz"],
    ["a number as model", withModel, withField("model", 5), 400, null, "model"],
    ["an unknown model", withModel, withField("model", "nope"), 404, "model_not_found", "model"],
  ];

  it.each(mistakes)(
    "OpenAI-compatible API answers %s alike on all routes",
    async (_, routes, mistake, status, code, param) => {
      const answers = await Promise.all(routes.map(async (path) => [path, await mistake(path)] as const));
      const openai = { status, error: { type: "invalid_request_error", code, param } };
      for (const [path, answer] of answers) {
        if (isAnthropic(path)) expect([path, answer.status]).toEqual([path, status]);
        else expect([path, answer]).toMatchObject([path, openai]);
        expect(answer.error.message.length).toBeGreaterThan(10);
      }
      const messages = new Set(answers.map(([, { error }]) => error.message.replace(/^No embedding .*/, "")));
      messages.delete("");
      expect([...messages]).toHaveLength(1);
    },
  );
});
