import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  chunk,
  jsonResponse,
  type Script,
  startEventStream,
  streamText,
  streamToolCalls,
} from "#test/support/models/upstream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { publishedFetch, validatedEvents } from "#test/support/openai/published-schemas.ts";

let api: OpenaiApi;
let client: OpenAI;
/** Events of streams that differ from the schemas in `openapi.json`. */
const invalidEvents: string[] = [];

beforeAll(async () => {
  api = await startOpenaiApi();
  client = new OpenAI({ apiKey: api.key, baseURL: api.baseUrl, maxRetries: 0, fetch: publishedFetch(invalidEvents) });
});

afterEach(() => expect(invalidEvents.splice(0)).toEqual([]));
afterAll(() => api?.stop());

/** Streams deltas as they are, each in an event of its own. */
const streamDeltas =
  (deltas: readonly Record<string, unknown>[], finish_reason = "stop"): Script =>
  async (response) => {
    startEventStream(response);
    for (const delta of deltas) response.write(chunk(delta));
    response.write(chunk({}, { finish_reason }));
    response.end("data: [DONE]\n\n");
  };

const callDelta = (index: number, fields: Record<string, unknown>) => ({ tool_calls: [{ index, ...fields }] });
const startCall = (index: number, name: string) =>
  callDelta(index, { id: `call_${index}`, type: "function", function: { name, arguments: "" } });
const continueCall = (index: number, json: string) => callDelta(index, { function: { arguments: json } });

const lastBody = () => api.upstream.requests.at(-1)?.body;
const weather = { type: "function" as const, name: "weather", parameters: { type: "object" }, strict: false };

const request = (fields: Record<string, unknown>, stream = false) => {
  const body = { model: api.slug, input: "Hi", ...fields } as never;
  return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body);
};

it("references to items of stored responses, as the AI SDK sends them, are replaced by the items in the prompt", async () => {
  api.upstream.script = streamToolCalls(["weather", '{"city":"Bern"}']);
  const first = (await request({ tools: [weather] })) as OpenAI.Responses.Response;
  api.upstream.script = streamText(["Sunny"]);
  const input = [
    { role: "user", content: "Hi" },
    { type: "item_reference", id: first.output[0]?.id },
    { type: "function_call_output", call_id: "call_0", output: "21" },
  ];
  expect(await request({ input, tools: [weather] })).toMatchObject({ output_text: "Sunny" });
  expect(lastBody().messages.slice(-2)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_0", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
    },
    { role: "tool", tool_call_id: "call_0", content: "21" },
  ]);
});

it("references to items of stored responses are limited to the items of 100 responses", async () => {
  const input = Array.from({ length: 101 }, (_, n) => ({ type: "item_reference", id: `msg_${n}_0` }));
  await expect(request({ input })).rejects.toMatchObject({ status: 400, param: "input" });
});

it("references to items of stored responses are rejected with 400 if the item does not exist or belongs to another API key", async () => {
  api.upstream.script = streamText(["Hello"]);
  const { output } = (await request({})) as OpenAI.Responses.Response;
  const id = String(output[0]?.id);
  const { key } = await api.createKey(["chat.completions"]);
  const other = new OpenAI({ apiKey: key, baseURL: api.baseUrl, maxRetries: 0 });
  const send = (caller: OpenAI, reference: string) =>
    caller.responses.create({ model: api.slug, input: [{ type: "item_reference", id: reference }] });
  for (const [caller, reference] of [
    [other, id],
    [client, id.replace("msg_", "msg_x")],
    [client, "none"],
    [client, `msg_${"x".repeat(5_000)}_0`],
  ] as const) {
    await expect(send(caller, reference)).rejects.toMatchObject({ status: 400, param: "input.0.id" });
  }
});

it("images in requests may fill a body of 3 MiB and are stored with the response, and a larger body is refused with 413", async () => {
  api.upstream.script = streamText(["A lamp"]);
  const photo = (bytes: number) => `data:image/png;base64,${"iVBORw0K".repeat(bytes / 8)}`;
  const input = (bytes: number) => [{ role: "user", content: [{ type: "input_image", image_url: photo(bytes) }] }];
  const first = (await request({ input: input(3_140_000) })) as OpenAI.Responses.Response;
  await request({ previous_response_id: first.id, input: "And now?" });
  expect(lastBody().messages[1].content[0].image_url.url).toBe(photo(3_140_000));
  await expect(request({ input: input(3_150_000) })).rejects.toMatchObject({ status: 413 });
  const text = { role: "user", content: "x".repeat(1_048_577) };
  await expect(request({ input: [text] })).rejects.toMatchObject({ status: 413 });
});

it("responses API refuses with 413 to continue a conversation whose images exceed 4 MiB in total", async () => {
  api.upstream.script = streamText(["A lamp"]);
  const image_url = `data:image/png;base64,${"iVBORw0K".repeat(380_000)}`;
  const input = [{ role: "user", content: [{ type: "input_image", image_url }] }];
  const first = (await request({ input })) as OpenAI.Responses.Response;
  const second = (await request({ input, previous_response_id: first.id })) as OpenAI.Responses.Response;
  const third = request({ input: "More", previous_response_id: second.id });
  await expect(third).rejects.toMatchObject({ status: 413, message: expect.stringContaining("Start a new one") });
});

describe("tools of the responses API other than functions", () => {
  const tools = [
    {
      type: "custom",
      name: "patch",
      description: "Applies a patch.",
      format: { type: "grammar", syntax: "lark", definition: "start: WORD" },
    },
    { type: "namespace", name: "agents", description: "Helpers.", tools: [weather] },
    { type: "web_search" },
  ];
  const calls = streamToolCalls(["patch", '{"input":"a\\nb"}'], ["agents__weather", '{"city":"Bern"}']);

  it.each([false, true])(
    "tools of the responses API other than functions are called by the names and with the inputs of the caller (stream: %s)",
    async (stream) => {
      api.upstream.script = calls;
      const response = (await request({ tools, tool_choice: { type: "custom", name: "patch" } }, stream)) as {
        output: unknown;
        tools: { type: string }[];
      };
      expect(lastBody().tools.map(({ function: { name } }: { function: { name: string } }) => name)).toEqual([
        "patch",
        "agents__weather",
      ]);
      expect(lastBody().tools[0].function.description).toContain("start: WORD");
      expect(lastBody().tool_choice).toEqual({ type: "function", function: { name: "patch" } });
      expect(response.output).toMatchObject([
        { type: "custom_tool_call", call_id: "call_0", name: "patch", input: "a\nb" },
        {
          type: "function_call",
          call_id: "call_1",
          namespace: "agents",
          name: "weather",
          arguments: '{"city":"Bern"}',
        },
      ]);
      expect(response.tools.map(({ type }) => type)).toEqual(["custom", "namespace"]);
    },
  );

  it("calls of tools of the responses API other than functions are sent to the model with their outputs in the next request", async () => {
    api.upstream.script = streamText(["Done"]);
    const input = [
      { role: "user", content: "Go" },
      { type: "custom_tool_call", call_id: "c1", name: "patch", input: "a" },
      { type: "custom_tool_call_output", call_id: "c1", output: "ok" },
      { type: "function_call", call_id: "c2", namespace: "agents", name: "weather", arguments: "{}" },
      { type: "function_call_output", call_id: "c2", output: "21" },
    ];
    await request({ input, tools });
    const messages = lastBody().messages.slice(-4);
    expect(messages[0].tool_calls[0].function).toEqual({ name: "patch", arguments: '{"input":"a"}' });
    expect(messages[2].tool_calls[0].function).toEqual({ name: "agents__weather", arguments: "{}" });
    expect([messages[1].content, messages[3].content]).toEqual(["ok", "21"]);
  });

  it("tools of the responses API other than functions are sent to the model only if the request's tool_choice allows them", async () => {
    api.upstream.script = streamText(["Done"]);
    const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "patch" }] };
    await request({ tools, tool_choice: allowed });
    expect(lastBody()).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "patch" } }] });
  });

  it("tools of the responses API other than functions are rejected with their path if they run at OpenAI", async () => {
    for (const type of ["file_search", "code_interpreter", "mcp", "image_generation"]) {
      const error = { status: 400, param: "tools.1.type", message: expect.stringContaining("run at OpenAI") };
      await expect(request({ tools: [weather, { type }] })).rejects.toMatchObject(error);
    }
  });
});

it.each([
  [{ include: ["reasoning.unheard_of"] }, "include.0"],
  [{ reasoning: { mode: "pro" } }, "reasoning.mode"],
  [{ reasoning: { budget: 5 } }, "reasoning.budget"],
  [{ stream_options: { include_obfuscation: true } }, "stream_options.include_obfuscation"],
  [{ text: { tone: "warm" } }, "text.tone"],
  [{ input: [{ role: "assistant", content: "Let me see.", phase: "commentary" }] }, "input"],
])("fields of a responses request that have no effect are refused by name: %j", async (fields, param) => {
  const refused = await request(fields as never).catch((error) => error);
  expect([refused.status, refused.param]).toEqual([400, expect.stringContaining(param)]);
});

it("fields of a responses request that have no effect are accepted when they ask for the behavior that applies anyway", async () => {
  api.upstream.script = streamDeltas([{ reasoning_content: "Hm" }, { content: "42" }]);
  const response = (await request(
    {
      include: ["reasoning.encrypted_content"],
      reasoning: { generate_summary: "auto", context: "auto", mode: "standard" },
      stream_options: { include_obfuscation: false },
    } as never,
    true,
  )) as OpenAI.Responses.Response;
  expect(response.output[0]).toMatchObject({ type: "reasoning", summary: [{ text: "Hm" }] });
});

it("API key that is limited to one endpoint can read its own stored response", async () => {
  const { key } = await api.createKey(["chat.completions", `endpoint:${api.slug}`]);
  const own = api.createClient(key, { fetch });
  const { id } = await own.responses.create({ model: api.slug, input: "Hi" });
  expect((await own.responses.retrieve(id)).id).toBe(id);
});

it.each([undefined, "auto"])(
  "streams of the responses API contain reasoning, as a summary if requested (summary: %s)",
  async (summary) => {
    api.upstream.script = streamDeltas([{ reasoning: "Let " }, { reasoning: "me see" }, { content: "42" }]);
    const response = (await request({ reasoning: { summary } }, true)) as OpenAI.Responses.Response;
    expect(response.output_text).toBe("42");
    const parts = summary ? "summary" : "content";
    expect(response.output[0]).toMatchObject({ type: "reasoning", [parts]: [{ text: "Let me see" }] });
  },
);

it("streams of the responses API keep parallel calls apart when their deltas alternate and their indexes start at 1", async () => {
  api.upstream.script = streamDeltas(
    [
      startCall(1, "weather"),
      startCall(2, "weather"),
      continueCall(1, '{"city":'),
      continueCall(2, '{"city":'),
      continueCall(1, '"Bern"}'),
      continueCall(2, '"Rom"}'),
    ],
    "tool_calls",
  );
  const { output } = (await request({ tools: [weather] }, true)) as OpenAI.Responses.Response;
  expect(output).toMatchObject([
    { type: "function_call", call_id: "call_1", arguments: '{"city":"Bern"}' },
    { type: "function_call", call_id: "call_2", arguments: '{"city":"Rom"}' },
  ]);
});

it("streams of the responses API list the items of text, reasoning and calls in the order in which they began", async () => {
  api.upstream.script = streamDeltas([
    { content: "The number is 12" },
    { reasoning_content: "Now " },
    startCall(0, "weather"),
    { content: "34." },
    continueCall(0, "{}"),
  ]);
  const response = (await request({ tools: [weather] }, true)) as OpenAI.Responses.Response;
  expect(response.output.map(({ type }) => type)).toEqual(["message", "reasoning", "function_call"]);
  expect(response.output_text).toBe("The number is 1234.");
  const stored = await client.responses.retrieve(response.id);
  expect(stored.output.map(({ id }) => id)).toEqual(response.output.map(({ id }) => id));
});

it("streams of the responses API end an item when the next one begins", async () => {
  api.upstream.script = streamDeltas([
    { reasoning_content: "Think 12" },
    { content: "Hi" },
    { content: " you." },
    startCall(0, "weather"),
    continueCall(0, "{}"),
    { reasoning_content: "More" },
    { content: "Bye" },
  ]);
  const events: string[] = [];
  let last: OpenAI.Responses.Response | undefined;
  const stream = await client.responses.create({ model: api.slug, input: "Hi", tools: [weather], stream: true });
  for await (const event of stream) {
    if (event.type === "response.output_item.added") events.push(`+${event.output_index} ${event.item.type}`);
    if (event.type === "response.output_item.done") events.push(`-${event.output_index} ${event.item.type}`);
    if (event.type === "response.completed") last = event.response;
  }
  expect(events).toEqual([
    ...["+0 reasoning", "-0 reasoning", "+1 message", "-1 message"],
    ...["+2 function_call", "+3 reasoning", "-3 reasoning", "+4 message", "-2 function_call", "-4 message"],
  ]);
  expect(last?.output).toMatchObject([
    { content: [{ text: "Think 12" }] },
    { content: [{ text: "Hi you." }] },
    { type: "function_call", arguments: "{}" },
    { content: [{ text: "More" }] },
    { content: [{ text: "Bye" }] },
  ]);
  expect(new Set(last?.output.map(({ id }) => id)).size).toBe(5);
  expect(last?.usage?.input_tokens_details).toEqual({ cached_tokens: 0, cache_write_tokens: 0 });
});

it("streams of the responses API contain log probabilities and annotations in OpenAI's form", async () => {
  const citation = { url: "https://a.example", title: "A", start_index: 0, end_index: 2 };
  const logprobs = { content: [{ token: "Hi", logprob: -0.1, bytes: null, top_logprobs: [] }], refusal: null };
  const message = {
    role: "assistant",
    content: "Hi",
    annotations: [{ type: "url_citation", url_citation: citation }],
  };
  api.upstream.script = jsonResponse({ choices: [{ index: 0, message, logprobs, finish_reason: "stop" }] });
  const response = await request({ include: ["message.output_text.logprobs"], top_logprobs: 2 });
  expect(lastBody()).toMatchObject({ logprobs: true, top_logprobs: 2 });
  expect(response).toMatchObject({
    output: [{ content: [{ annotations: [{ type: "url_citation", ...citation }], logprobs: [{ token: "Hi" }] }] }],
  });
});

it("responses API sends reasoning back to the model with the tool calls that followed the reasoning", async () => {
  const call = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };
  const message = { role: "assistant", reasoning_content: "I need data.", content: null, tool_calls: [call] };
  api.upstream.script = jsonResponse({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const first = (await request({ tools: [weather] })) as OpenAI.Responses.Response;
  api.upstream.script = streamText(["Sunny"]);
  const output = { type: "function_call_output", call_id: "c1", output: "21" };
  await request({ input: [{ role: "user", content: "Hi" }, ...first.output, output], tools: [weather] });
  expect(lastBody().messages.at(-2)).toMatchObject({ reasoning_content: "I need data.", tool_calls: [call] });
  await request({ previous_response_id: first.id, input: [output], tools: [weather] });
  expect(lastBody().messages.at(-2)).toMatchObject({ reasoning_content: "I need data.", tool_calls: [call] });
});

it("responses API sends a provider's reasoning back in the provider's own field, and omits reasoning items that come from elsewhere", async () => {
  const call = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };
  const message = { role: "assistant", reasoning: "I need data.", content: null, tool_calls: [call] };
  api.upstream.script = jsonResponse({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const { id, output } = (await request({ tools: [weather] })) as OpenAI.Responses.Response;
  api.upstream.script = streamText(["Sunny"]);
  const result = { type: "function_call_output", call_id: "c1", output: "21" };
  const sent = async (fields: object) => {
    await request({ tools: [weather], ...fields });
    return lastBody().messages.at(-2);
  };
  const question = { role: "user", content: "Hi" };
  for (const fields of [{ input: [question, ...output, result] }, { previous_response_id: id, input: [result] }]) {
    const { reasoning, reasoning_content } = await sent(fields);
    expect([reasoning, reasoning_content]).toEqual(["I need data.", undefined]);
  }
  const [, ...others] = output;
  const foreign = { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Secret" }] };
  expect(JSON.stringify(await sent({ input: [question, foreign, ...others, result] }))).not.toContain("Secret");
});

it("streams of the responses API contain custom calls whose name arrives after their id", async () => {
  const tools = [{ type: "custom", name: "patch" }];
  api.upstream.script = streamDeltas(
    [
      callDelta(0, { id: "c1" }),
      callDelta(0, { function: { name: "patch", arguments: "" } }),
      continueCall(0, '{"input":"a"}'),
    ],
    "tool_calls",
  );
  const { output } = (await request({ tools }, true)) as OpenAI.Responses.Response;
  expect(output).toMatchObject([{ type: "custom_tool_call", call_id: "c1", name: "patch", input: "a" }]);
});

it("events of streamed responses of more than twelve types were validated against openapi.json", () => {
  expect([...validatedEvents.keys()].filter((type) => type.startsWith("response.")).length).toBeGreaterThan(12);
});

const textOf = (item: unknown) => {
  const { role, content } = item as { role?: string; content?: { type: string; text: string }[] };
  return [role, ...(content ?? []).map(({ type, text }) => `${type} ${text}`)].join(": ");
};

const otherClient = async () =>
  new OpenAI({ apiKey: (await api.createKey(["chat.completions"])).key, baseURL: api.baseUrl, maxRetries: 0 });

it("input of a stored response is listed with the conversation that it continues, in pages in both orders, for the same API key only", async () => {
  api.upstream.script = streamToolCalls(["weather", '{"city":"Bern"}']);
  const image = { type: "input_image" as const, image_url: "data:image/png;base64,iVBORw0K" };
  const input = [{ role: "user", content: [{ type: "input_text", text: "Look" }, image] }];
  const first = (await request({ input, tools: [weather] })) as OpenAI.Responses.Response;
  api.upstream.script = streamText(["Sunny"]);
  const output = [{ type: "function_call_output", call_id: "call_0", output: "21" }];
  const second = (await request({ input: output, previous_response_id: first.id })) as OpenAI.Responses.Response;
  const items = [];
  for await (const item of client.responses.inputItems.list(second.id, { order: "asc", limit: 1 })) items.push(item);
  expect(items).toMatchObject([
    { type: "message", role: "user", content: [{ type: "input_text", text: "Look" }, image], status: "completed" },
    { type: "function_call", call_id: "call_0", name: "weather", arguments: '{"city":"Bern"}' },
    { type: "function_call_output", call_id: "call_0", output: "21" },
  ]);
  const latest = await client.responses.inputItems.list(second.id);
  expect(latest.data).toEqual(items.toReversed());
  await expect(client.responses.inputItems.list(second.id, { after: "none" })).rejects.toMatchObject({ status: 400 });
  const other = await otherClient();
  await expect(other.responses.inputItems.list(second.id)).rejects.toMatchObject({ status: 404 });
});

it("input token count of a responses request is an estimate that includes tools and history", async () => {
  api.upstream.script = streamText(["Hello"]);
  const first = (await request({ input: "x".repeat(4_000) })) as OpenAI.Responses.Response;
  const count = (fields: object) => client.responses.inputTokens.count({ model: api.slug, ...fields });
  const { input_tokens: short, object } = await count({ input: "Hi" });
  expect(object).toBe("response.input_tokens");
  const { input_tokens: tools } = await count({ input: "Hi", tools: [weather] });
  const { input_tokens: long } = await count({ input: "Hi", previous_response_id: first.id });
  expect([tools - short > 10, Math.round((long - short) / 100)]).toEqual([true, 10]);
  const { id: conversation } = await client.conversations.create({
    items: [{ role: "user", content: "x".repeat(4_000) }],
  });
  const { input_tokens: continued } = await count({ input: "Hi", conversation });
  expect(Math.round((continued - short) / 100)).toBe(10);
  await expect(count({ model: "none" })).rejects.toMatchObject({ status: 404 });
});

it("cancellation of a response stops its stream, and is rejected for a complete response and for another client", async () => {
  api.upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ content: "Once" }));
  };
  const stream = await client.responses.create({ model: api.slug, input: "Hi", stream: true });
  const events = stream[Symbol.asyncIterator]();
  const { value: created } = await events.next();
  const { id, created_at } = (created as { response: OpenAI.Responses.Response }).response;
  const canceled = await client.responses.cancel(id);
  expect(canceled).toMatchObject({ id, object: "response", status: "cancelled", output: [] });
  expect(Math.abs(canceled.created_at - created_at)).toBeLessThanOrEqual(1);
  const rest = async () => {
    for (;;) if ((await events.next()).done) return;
  };
  await expect(rest()).rejects.toThrow("canceled");
  api.upstream.script = streamText(["Hello"]);
  const complete = (await request({})) as OpenAI.Responses.Response;
  await expect(client.responses.cancel(complete.id)).rejects.toMatchObject({ status: 409 });
  await expect((await otherClient()).responses.cancel(id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.cancel("chatcmpl-1")).rejects.toMatchObject({ status: 404 });
});

it("compaction of a conversation returns the user's messages and a summary that stands for the rest in the next request", async () => {
  api.upstream.script = streamText(["Captain Reyes"]);
  const first = (await request({ input: "Who sails?" })) as OpenAI.Responses.Response;
  api.upstream.script = streamText(["- Captain Reyes sails"]);
  const compacted = await client.responses.compact({
    model: api.slug,
    previous_response_id: first.id,
    input: "And?",
  });
  expect(compacted).toMatchObject({ object: "response.compaction", usage: { input_tokens: expect.any(Number) } });
  const sent = lastBody().messages;
  expect(sent.slice(1, -1)).toEqual([
    { role: "user", content: "Who sails?" },
    { role: "assistant", content: "Captain Reyes" },
    { role: "user", content: "And?" },
  ]);
  expect(sent.at(-1).content).toContain("Summarize our conversation");
  const [one, two, compaction] = compacted.output as { type: string; encrypted_content: string }[];
  expect([textOf(one), textOf(two), compaction?.type]).toEqual([
    "user: input_text Who sails?",
    "user: input_text And?",
    "compaction",
  ]);
  expect(JSON.stringify(compacted)).not.toContain("Reyes");
  api.upstream.script = streamText(["Reyes"]);
  await request({ input: [...compacted.output, { role: "user", content: "Her name?" }] });
  expect(lastBody().messages.slice(-2)).toEqual([
    { role: "user", content: "Summary of our conversation so far:\n- Captain Reyes sails" },
    { role: "user", content: "Her name?" },
  ]);
  for (const encrypted_content of ["x", `${compaction?.encrypted_content.slice(0, -4)}AAAA`]) {
    const input = [{ type: "compaction", encrypted_content }];
    await expect(request({ input })).rejects.toMatchObject({ status: 400, param: "input.0.encrypted_content" });
  }
});

describe("conversation of an API key", () => {
  const list = async (id: string, order: "asc" | "desc" = "asc") => {
    const items = [];
    for await (const item of client.conversations.items.list(id, { order, limit: 2 })) items.push(item);
    return items;
  };

  it("conversation of an API key collects the input and output of its responses, streamed or not", async () => {
    const { id } = await client.conversations.create({ items: [{ role: "developer", content: "Be kind." }] });
    api.upstream.script = streamText(["Hello"]);
    const first = (await request({ conversation: id, input: "Hi" })) as OpenAI.Responses.Response;
    expect(first.conversation).toEqual({ id });
    api.upstream.script = streamToolCalls(["weather", "{}"]);
    await request({ conversation: { id }, input: "And now?", store: false, tools: [weather] }, true);
    const input = [{ type: "function_call_output", call_id: "call_0", output: "21" }];
    api.upstream.script = streamText(["Sunny"]);
    await request({ conversation: id, input, tools: [weather] });
    expect(lastBody().messages.slice(1)).toMatchObject([
      { role: "developer", content: "Be kind." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "And now?" },
      { role: "assistant", tool_calls: [{ function: { name: "weather" } }] },
      { role: "tool", content: "21" },
    ]);
    const items = await list(id);
    expect(items.map((item) => (item.type === "message" ? textOf(item) : item.type))).toEqual([
      "developer: input_text Be kind.",
      "user: input_text Hi",
      "assistant: output_text Hello",
      "user: input_text And now?",
      "function_call",
      "function_call_output",
      "assistant: output_text Sunny",
    ]);
    expect(items[2]).toEqual({ ...first.output[0], id: first.output[0]?.id });
    expect(await list(id, "desc")).toEqual(items.toReversed());
    expect(new Set(items.map((item) => item.id)).size).toBe(7);
  });

  it("conversation of an API key adds an answer once when the answer is returned again for the same Idempotency-Key", async () => {
    const { id } = await client.conversations.create();
    api.upstream.script = streamText(["Hello"]);
    for (const stream of [false, true]) {
      const headers = { "idempotency-key": `again-${id}-${stream}` };
      for (let attempt = 0; attempt < 2; attempt++) {
        const body = { model: api.slug, input: "Hi", conversation: id, stream };
        const response = await fetch(`${api.baseUrl}/responses`, {
          method: "POST",
          headers: { ...headers, authorization: `Bearer ${api.key}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        expect([response.status, (await response.text()).includes("Hello")]).toEqual([200, true]);
      }
    }
    expect(await list(id)).toHaveLength(4);
  });

  it("conversation of an API key is created, changed, read and deleted with its items, by the same key only", async () => {
    const created = await client.conversations.create({ metadata: { topic: "tides" } });
    expect(created).toEqual({
      id: expect.stringMatching(/^conv_/),
      object: "conversation",
      created_at: expect.any(Number),
      metadata: { topic: "tides" },
    });
    const { id } = created;
    const changed = await client.conversations.update(id, { metadata: { topic: "moon" } });
    expect(changed).toEqual({ ...created, metadata: { topic: "moon" } });
    expect(await client.conversations.retrieve(id)).toEqual(changed);
    const large = `data:image/png;base64,${"iVBORw0K".repeat(100_000)}`;
    const added = await client.conversations.items.create(id, {
      items: [
        { role: "user", content: [{ type: "input_image", image_url: large, detail: "low" }] },
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      ],
    });
    const [image, call] = added.data as { id: string }[];
    expect([added.first_id, added.last_id, added.has_more]).toEqual([image?.id, call?.id, false]);
    expect(await client.conversations.items.retrieve(String(image?.id), { conversation_id: id })).toMatchObject({
      content: [{ type: "input_image", image_url: large, detail: "low" }],
    });
    expect(await client.conversations.items.delete(String(image?.id), { conversation_id: id })).toEqual(changed);
    expect(await list(id)).toEqual([call]);
    const other = await otherClient();
    const missing = { status: 404 };
    for (const attempt of [
      () => other.conversations.retrieve(id),
      () => other.conversations.update(id, { metadata: {} }),
      () => other.conversations.delete(id),
      () => other.conversations.items.list(id),
      () => other.conversations.items.create(id, { items: [] }),
      () => other.conversations.items.retrieve(String(call?.id), { conversation_id: id }),
      () => other.conversations.items.delete(String(call?.id), { conversation_id: id }),
      () => other.responses.create({ model: api.slug, input: "Hi", conversation: id }),
    ]) {
      await expect(attempt()).rejects.toMatchObject(missing);
    }
    await expect(request({ conversation: id, previous_response_id: "resp_1" })).rejects.toMatchObject({ status: 400 });
    expect(await client.conversations.delete(id)).toEqual({ id, object: "conversation.deleted", deleted: true });
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject(missing);
    await expect(client.conversations.items.list(id)).rejects.toMatchObject(missing);
  });
});
