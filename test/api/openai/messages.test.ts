import { afterAll, beforeAll, expect, it } from "vitest";
import {
  chunk,
  errorResponse,
  type Script,
  startEventStream,
  streamText,
  streamToolCalls,
} from "#test/support/models/upstream.ts";
import { readCutStream } from "#test/support/openai/cut-stream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { validatePublishedEvent } from "#test/support/openai/published-schemas.ts";

let api: OpenaiApi;

beforeAll(async () => {
  api = await startOpenaiApi();
});
afterAll(() => api?.stop());

type Fields = Record<string, unknown>;

const post = (path: string, body: Fields, headers: Record<string, string> = {}) =>
  fetch(api.baseUrl + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": api.key,
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(body),
  });

const toBody = (fields: Fields) => ({
  model: api.slug,
  max_tokens: 100,
  messages: [{ role: "user", content: "Hi" }],
  ...fields,
});

async function create(fields: Fields = {}): Promise<Fields> {
  const response = await post("/messages", toBody(fields));
  return (await response.json()) as Fields;
}

/** Returns the events of a streamed message, each of which matches its schema and has its type as its name. */
async function stream(fields: Fields = {}): Promise<Fields[]> {
  const response = await post("/messages", toBody({ stream: true, ...fields }));
  return parseEvents(await response.text());
}

function parseEvents(text: string): Fields[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("event: "))
    .map((event) => {
      const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      validatePublishedEvent("/openai/v1/messages", data);
      const parsed = JSON.parse(data);
      expect(parsed.type).toBe(name);
      return parsed;
    })
    .filter(({ type }) => type !== "ping");
}

/** Builds the message that the events of a stream describe, as clients do. Only one block is open at a time. */
function accumulate(events: Fields[]): Fields {
  let message: Fields = {};
  const blocks: Fields[] = [];
  let open: number | null = null;
  const json: string[] = [];
  for (const event of events as Record<string, never>[]) {
    const { type, index } = event as unknown as { type: string; index: number };
    if (type === "message_start") message = event.message as unknown as Fields;
    if (type === "content_block_start") {
      expect([open, index]).toEqual([null, blocks.length]);
      open = index;
      blocks.push({ ...(event.content_block as unknown as Fields) });
      json[index] = "";
    }
    if (type === "content_block_delta") {
      expect(index).toBe(open);
      const { type: _, ...delta } = event.delta as unknown as Record<string, string>;
      const block = blocks[index] as Record<string, string>;
      for (const [name, value] of Object.entries(delta)) {
        if (name === "partial_json") json[index] += value;
        else block[name] = name === "signature" ? value : block[name] + value;
      }
    }
    if (type === "content_block_stop") {
      expect(index).toBe(open);
      if (json[index]) (blocks[index] as Fields).input = JSON.parse(json[index]);
      open = null;
    }
    if (type === "message_delta") message = { ...message, ...(event.delta as unknown as object), usage: event.usage };
  }
  expect(events.at(-1)).toEqual({ type: "message_stop" });
  return { ...message, content: blocks };
}

const streamDeltas =
  (deltas: readonly Fields[], finish_reason = "stop"): Script =>
  async (response) => {
    startEventStream(response);
    for (const delta of deltas) response.write(chunk(delta));
    response.write(chunk({}, { finish_reason }));
    response.end("data: [DONE]\n\n");
  };

const callDelta = (index: number, fields: Fields) => ({ tool_calls: [{ index, ...fields }] });
const startCall = (index: number, name: string) =>
  callDelta(index, { id: `call_${index}`, type: "function", function: { name, arguments: "" } });
const continueCall = (index: number, json: string) => callDelta(index, { function: { arguments: json } });

const weather = { name: "weather", description: "Tells the weather", input_schema: { type: "object" } };
const lastBody = () => api.upstream.requests.at(-1)?.body;

it("messages API returns the same message whole and streamed", async () => {
  api.upstream.script = streamText(["Hello", " world"]);
  const expected = {
    id: expect.stringMatching(/^msg_/),
    type: "message",
    role: "assistant",
    model: api.slug,
    content: [{ type: "text", text: "Hello world" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
  expect(await create()).toEqual(expected);
  const events = await stream();
  expect(accumulate(events)).toEqual(expected);
  // Some clients read the tokens of the prompt here.
  expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 1, output_tokens: 1 } } });
});

it("messages API translates the fields of a request to those of chat completions for the provider", async () => {
  api.upstream.script = streamText(["ok"]);
  await create({
    system: [{ type: "text", text: "Rule one.", cache_control: { type: "ephemeral" } }],
    stop_sequences: ["END"],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    metadata: { user_id: "u-1" },
    max_tokens: 12_000,
    thinking: { type: "enabled", budget_tokens: 10_000 },
    tools: [weather],
    tool_choice: { type: "any", disable_parallel_tool_use: true },
    output_config: { format: { type: "json_schema", schema: { type: "object" } } },
  });
  const { messages, ...fields } = lastBody();
  expect(messages.slice(-2)).toEqual([
    { role: "system", content: "Rule one." },
    { role: "user", content: "Hi" },
  ]);
  expect(fields).toMatchObject({
    max_completion_tokens: 12_000,
    stop: ["END"],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    user: "u-1",
    reasoning_effort: "medium",
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
    tool_choice: "required",
    parallel_tool_calls: false,
    response_format: { type: "json_schema", json_schema: { schema: { type: "object" }, strict: true } },
  });
});

it("messages API translates tool calls, their results and images of a conversation", async () => {
  api.upstream.script = streamText(["Sunny"]);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0K" } };
  await create({
    messages: [
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Look it up", signature: "reasoning_content" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "weather", input: { city: "Bern" } },
          { type: "tool_use", id: "t2", name: "weather", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "21" }, image] },
          { type: "tool_result", tool_use_id: "t2", content: "no city", is_error: true },
          { type: "text", text: "And now?" },
        ],
      },
    ],
    tools: [weather],
  });
  const url = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0K" } };
  const call = (id: string, json: string) => ({
    id,
    type: "function",
    function: { name: "weather", arguments: json },
  });
  expect(lastBody().messages.slice(1)).toEqual([
    { role: "user", content: [{ type: "text", text: "What is this?" }, url] },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [call("t1", '{"city":"Bern"}'), call("t2", "{}")],
      reasoning_content: "Look it up",
    },
    { role: "tool", tool_call_id: "t1", content: "21" },
    { role: "tool", tool_call_id: "t2", content: "Error: no city" },
    { role: "user", content: [url, { type: "text", text: "And now?" }] },
  ]);
});

it("messages API returns parallel tool calls, also when the provider ends them with the finish reason stop", async () => {
  const calls = [
    { type: "tool_use", id: "call_0", name: "weather", input: { city: "Bern" } },
    { type: "tool_use", id: "call_1", name: "weather", input: { city: "Basel" } },
  ];
  api.upstream.script = streamToolCalls(["weather", '{"city":"Bern"}'], ["weather", '{"city":"Basel"}']);
  expect(await create({ tools: [weather] })).toMatchObject({ content: calls, stop_reason: "tool_use" });
  api.upstream.script = streamDeltas([
    startCall(0, "weather"),
    startCall(1, "weather"),
    continueCall(1, '{"city":'),
    continueCall(0, '{"city":'),
    continueCall(1, '"Basel"}'),
    continueCall(0, '"Bern"}'),
  ]);
  expect(accumulate(await stream({ tools: [weather] }))).toMatchObject({ content: calls, stop_reason: "tool_use" });
});

it("messages API returns reasoning as thinking if the request enables it", async () => {
  api.upstream.script = streamDeltas([
    { reasoning_content: "Let me" },
    { reasoning_content: " see" },
    { content: "42" },
  ]);
  const thinking = { type: "thinking", thinking: "Let me see", signature: "reasoning_content" };
  const text = { type: "text", text: "42" };
  const enabled = { max_tokens: 2_048, thinking: { type: "enabled", budget_tokens: 1_024 } };
  expect(accumulate(await stream(enabled))).toMatchObject({ content: [thinking, text] });
  expect(accumulate(await stream())).toMatchObject({ content: [text] });
});

it("messages API reports the reason of an incomplete answer", async () => {
  api.upstream.script = streamDeltas([{ content: "Hel" }], "length");
  expect(accumulate(await stream())).toMatchObject({ stop_reason: "max_tokens" });
  api.upstream.script = streamDeltas([{ content: "Hel" }], "content_filter");
  expect(await create()).toMatchObject({ stop_reason: "refusal" });
});

it("messages API removes sensitive data from the arguments of a streamed tool call", async () => {
  api.upstream.script = streamToolCalls(["weather", `{"city":"${api.key}"}`]);
  const { content } = accumulate(await stream({ tools: [weather] }));
  expect(content).toMatchObject([{ input: { city: expect.not.stringContaining(api.key.slice(-8)) } }]);
});

it("messages API counts tokens by an estimate", async () => {
  const count = async (content: string) => {
    const { max_tokens: _, ...body } = toBody({ messages: [{ role: "user", content }] });
    const response = await post("/messages/count_tokens", body);
    return ((await response.json()) as { input_tokens: number }).input_tokens;
  };
  expect((await count("x".repeat(4_000))) - (await count(""))).toBe(1_000);
});

it("errors of the messages API have Anthropic's form", async () => {
  const cases: [Fields, Record<string, string>, number, string][] = [
    [{ model: "unknown" }, {}, 404, "not_found_error"],
    [{ max_tokens: 0 }, {}, 400, "invalid_request_error"],
    [{ unknown_field: 1 }, {}, 400, "invalid_request_error"],
    [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, {}, 400, "invalid_request_error"],
    [{}, { "x-api-key": "swk_abcdefgh_00000000000000000000000000000000" }, 401, "authentication_error"],
    [{ messages: [{ role: "user", content: "x".repeat(1_100_000) }] }, {}, 413, "request_too_large"],
  ];
  for (const [fields, headers, status, type] of cases) {
    const response = await post("/messages", toBody(fields), headers);
    const request_id = response.headers.get("request-id");
    expect(request_id).not.toBeNull();
    expect([response.status, await response.json()]).toEqual([
      status,
      { type: "error", error: { type, message: expect.any(String) }, request_id },
    ]);
  }
});

it.each([
  ["POST", "/messages/count_tokens", {}, "error", "authentication_error"],
  ["POST", "/messages", {}, "error", "authentication_error"],
  ["GET", "/models", { "anthropic-version": "2023-06-01" }, "error", "authentication_error"],
  ["GET", "/models", {}, "/problems/unauthorized", "invalid_request_error"],
])(
  "request without a key is answered in the form of the client's API: %s %s with the headers %o",
  async (method, path, headers, type, errorType) => {
    for (const key of [{}, { "x-api-key": "swk_abcdefgh_00000000000000000000000000000000" }]) {
      const init = { method, headers: { "content-type": "application/json", ...headers, ...key } };
      const response = await fetch(api.baseUrl + path, {
        ...init,
        ...(method === "POST" && { body: JSON.stringify(toBody({})) }),
      });
      expect([response.status, await response.json()]).toMatchObject([
        401,
        {
          type,
          error: { type: errorType, message: expect.any(String) },
          request_id: response.headers.get("x-request-id"),
        },
      ]);
    }
  },
);

it("messages API names the tokens of a prompt that is too long, from which clients shorten it", async () => {
  const message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9500 tokens.";
  api.upstream.script = errorResponse(400, message);
  const response = await post("/messages", toBody({}));
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { type: "invalid_request_error", message: "prompt is too long: 9500 tokens > 8192 maximum" } },
  ]);
});

it.each([
  [429, 429, "rate_limit_error", "Limit 3 / min. Try again in 20s."],
  [401, 424, "invalid_request_error", expect.any(String)],
])(
  "messages API tells a client the status %i of the provider as status %i",
  async (provided, status, type, message) => {
    api.upstream.script = errorResponse(provided, "Limit 3 / min. Try again in 20s.");
    const response = await post("/messages", toBody({}));
    expect([response.status, await response.json()]).toMatchObject([status, { error: { type, message } }]);
  },
);

it("messages API repeats the id of the request in two headers, and returns no traceparent", async () => {
  api.upstream.script = streamText(["Hello"]);
  const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
  for (const stream of [false, true]) {
    const { headers } = await post("/messages", toBody({ stream }), { "x-request-id": "call-7", traceparent });
    const ids = ["x-request-id", "request-id", "traceparent"].map((name) => headers.get(name));
    expect(ids).toEqual(["call-7", "call-7", null]);
  }
});

it("messages API does not change published test numbers in an answer or in the arguments of a tool call", async () => {
  const text = "Pay with 4242 4242 4242 4242 or DE89 3704 0044 0532 0130 00.";
  const write = { name: "write", description: "Writes a file", input_schema: { type: "object" } };
  api.upstream.script = streamText([text]);
  expect(await create()).toMatchObject({ content: [{ text }] });
  api.upstream.script = streamToolCalls(["write", JSON.stringify({ text })]);
  expect(await create({ tools: [write] })).toMatchObject({ content: [{ input: { text } }] });
  expect(accumulate(await stream({ tools: [write] }))).toMatchObject({ content: [{ input: { text } }] });
});

it("errors of the messages API contain the provider's message when the provider refuses a request", async () => {
  api.upstream.script = errorResponse(400, "stop must have at most 4 entries");
  expect(await create()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: "stop must have at most 4 entries" },
  });
});

it("errors of the messages API are sent as an error event if the stream has already started", async () => {
  api.upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ content: "Hel" }));
    setTimeout(() => response.destroy(), 400);
  };
  const events = parseEvents(await readCutStream(await post("/messages", toBody({ stream: true }))));
  expect(events.at(-1)).toMatchObject({ type: "error", error: { type: expect.stringMatching(/_error$/) } });
});

it("models endpoint answers Anthropic clients in Anthropic's format and other clients in OpenAI's format", async () => {
  const read = async (path: string, headers: Record<string, string>) =>
    (await fetch(api.baseUrl + path, { headers: { "x-api-key": api.key, ...headers } })).json();
  const headers = { "anthropic-version": "2023-06-01" };
  const info = { type: "model", id: api.slug, display_name: "Helper" };
  expect(await read("/models?limit=100", headers)).toMatchObject({ has_more: false, data: [info] });
  expect(await read(`/models/${api.slug}`, headers)).toMatchObject(info);
  expect(await read("/models/unknown", headers)).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  expect(await read("/models", {})).toMatchObject({ object: "list", data: [{ object: "model", id: api.slug }] });
});

it.each(["x-api-key", "api-key"])(
  "API key of the OpenAI-compatible API is accepted in the header %s on all paths",
  async (name) => {
    api.upstream.script = streamText(["Hello"]);
    const headers = { [name]: api.key, "content-type": "application/json" };
    const models = await fetch(`${api.baseUrl}/models`, { headers });
    const body = JSON.stringify({ model: api.slug, messages: [{ role: "user", content: "Hi" }] });
    const completion = await fetch(`${api.baseUrl}/chat/completions`, { method: "POST", headers, body });
    expect([models.status, completion.status]).toEqual([200, 200]);
  },
);

it("API key in the header x-api-key is not used if the Authorization header has an invalid key", async () => {
  const headers = { "x-api-key": api.key, authorization: "Bearer swk_abcdefgh_00000000000000000000000000000000" };
  expect((await fetch(`${api.baseUrl}/models`, { headers })).status).toBe(401);
});
