import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ChatOpenAI } from "@langchain/openai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chunk, errorResponse, type Script, startEventStream, streamText } from "#test/support/models/upstream.ts";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";
import { validated, validatingFetch } from "#test/support/openai/openai-schemas.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let api: OpenaiApi;

beforeAll(async () => {
  api = await startOpenaiApi({ RATE_LIMIT_API_KEY: "40" });
});

afterAll(async () => {
  await api?.stop();
  expect(validated.bodies + validated.streams).toBeGreaterThan(10);
});

const helloMessages = [{ role: "user" as const, content: "Hello" }];

/** Calls a tool first and answers once the tool's result is in the prompt. */
const toolCallScript: Script = async (response, { body }) => {
  if (body.messages.at(-1).role === "tool") return streamText(["21 degrees, ", "sunny"])(response, {} as never);
  startEventStream(response);
  const call = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } };
  response.write(chunk({ role: "assistant", content: null, tool_calls: [call] }));
  for (const argumentsPart of ['{"city":', '"Bern"}']) {
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: argumentsPart } }] }));
  }
  response.write(chunk({}, { finish_reason: "tool_calls" }));
  response.end("data: [DONE]\n\n");
};

const parameters = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };

describe("AI SDK client of the OpenAI-compatible API", () => {
  const createModel = () =>
    createOpenAICompatible({
      name: "switchboard",
      baseURL: api.baseUrl,
      apiKey: api.key,
      includeUsage: true,
      fetch: validatingFetch as typeof fetch,
    }).chatModel(api.slug);
  const prompt: LanguageModelV4CallOptions["prompt"] = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];

  it("AI SDK client of the OpenAI-compatible API receives whole and streamed answers", async () => {
    api.upstream.script = streamText(["Hello", " there"]);
    const { content, finishReason, usage } = await createModel().doGenerate({ prompt });
    expect(content).toMatchObject([{ type: "text", text: "Hello there" }]);
    expect([finishReason.unified, usage.outputTokens.total]).toEqual(["stop", 5]);
    const parts = await Array.fromAsync((await createModel().doStream({ prompt })).stream);
    const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
    expect(text).toBe("Hello there");
    expect(parts.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: { total: 10 } } });
  });

  it("AI SDK client of the OpenAI-compatible API calls a tool and continues with its result", async () => {
    api.upstream.script = toolCallScript;
    const tools = [{ type: "function" as const, name: "weather", inputSchema: parameters }];
    for (const parts of [
      (await createModel().doGenerate({ prompt, tools })).content,
      await Array.fromAsync((await createModel().doStream({ prompt, tools })).stream),
    ]) {
      const call = parts.find((part) => part.type === "tool-call");
      expect(call).toMatchObject({ toolCallId: "call_1", toolName: "weather", input: '{"city":"Bern"}' });
    }
    const { content } = await createModel().doGenerate({
      tools,
      prompt: [
        ...prompt,
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Bern" } }],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "call_1",
              toolName: "weather",
              output: { type: "text", value: "21 degrees" },
            },
          ],
        },
      ],
    });
    expect(content).toMatchObject([{ type: "text", text: "21 degrees, sunny" }]);
  });
});

describe("LangChain client of the OpenAI-compatible API", () => {
  const createModel = () =>
    new ChatOpenAI({
      model: api.slug,
      apiKey: api.key,
      maxRetries: 0,
      configuration: { baseURL: api.baseUrl, fetch: validatingFetch },
    });

  it("LangChain client of the OpenAI-compatible API receives whole and streamed answers", async () => {
    api.upstream.script = streamText(["Hello", " there"]);
    const answer = await createModel().invoke(helloMessages);
    expect([answer.content, answer.usage_metadata?.total_tokens]).toEqual(["Hello there", 15]);
    const chunks = await Array.fromAsync(await createModel().stream(helloMessages));
    expect(chunks.map(({ content }) => content).join("")).toBe("Hello there");
  });

  it("LangChain client of the OpenAI-compatible API calls a tool and continues with its result", async () => {
    api.upstream.script = toolCallScript;
    const modelWithTools = createModel().bindTools([{ type: "function", function: { name: "weather", parameters } }]);
    const toolCallMessage = await modelWithTools.invoke(helloMessages);
    expect(toolCallMessage.tool_calls).toMatchObject([{ id: "call_1", name: "weather", args: { city: "Bern" } }]);
    const chunks = await Array.fromAsync(await modelWithTools.stream(helloMessages));
    const merged = chunks.reduce((one, other) => one.concat(other));
    expect(merged.tool_calls).toMatchObject([{ id: "call_1", name: "weather", args: { city: "Bern" } }]);
    const result = { role: "tool" as const, tool_call_id: "call_1", content: "21 degrees" };
    expect((await modelWithTools.invoke([...helloMessages, toolCallMessage, result])).content).toBe(
      "21 degrees, sunny",
    );
  });
});

describe("official OpenAI client against the OpenAI-compatible API", () => {
  const createCompletion = (client: OpenAI, options: object = {}) =>
    client.chat.completions.create({ model: api.slug, messages: helloMessages, ...options });

  it("official OpenAI client against the OpenAI-compatible API repeats a request after the delay in `Retry-After`", async () => {
    const { key } = await api.createKey(["chat.completions"]);
    const client = api.createClient(key, { maxRetries: 1 });
    let requestCount = 0;
    api.upstream.script = async (...args) => {
      requestCount++;
      await (requestCount === 1 ? errorResponse(429, "slow down", { "retry-after": "1" }) : streamText(["Now"]))(
        ...args,
      );
    };
    const startedAt = performance.now();
    const { data, response } = await createCompletion(client).withResponse();
    expect([data.choices[0]?.message.content, response.status, requestCount]).toEqual(["Now", 200, 2]);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
  });

  it("official OpenAI client receives 429 with a retry delay when its key exceeds the rate limit, and the service does not call the provider", async () => {
    const { key } = await api.createKey(["chat.completions"]);
    api.upstream.script = streamText(["Hi"]);
    // The limit resets if the minute changes during the test.
    const outcomes = await Promise.all(
      Array.from({ length: 85 }, () => createCompletion(api.createClient(key)).catch((error: unknown) => error)),
    );
    const rateLimitErrors = outcomes.filter((outcome) => outcome instanceof OpenAI.RateLimitError);
    expect(rateLimitErrors.length).toBeGreaterThanOrEqual(5);
    for (const { error, headers, type, code } of rateLimitErrors) {
      expect([type, code]).toEqual(["rate_limit_error", "rate_limit_exceeded"]);
      expect((error as { message: string }).message).toMatch(/Try again in \d+ s/);
      const seconds = Number(headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(headers.get("retry-after-ms")).toBe(String(seconds * 1_000));
      expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
      expect(headers.get("x-should-retry")).toBeNull();
    }
    const before = api.upstream.requests.length;
    await createCompletion(api.createClient(key)).catch(() => {});
    expect(api.upstream.requests.length - before).toBeLessThanOrEqual(1);
  });

  /** Returns the number of calls recorded for a key. */
  const countCalls = (id: string) =>
    findItemsContaining(api.service, "#completion#").filter((item) => item.includes(id)).length;

  it("official OpenAI client against the OpenAI-compatible API is authenticated by its own key among concurrent requests", async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => api.createKey(["models.read"])));
    const unknownKey = "swk_abcdefgh_00000000000000000000000000000000";
    const requestKeys = [...keys, ...keys, ...keys].flatMap(({ key }) => [key, unknownKey]);
    const listModels = (key: string) => api.createClient(key).models.list();
    const statuses = await Promise.all(
      requestKeys.map((key) =>
        listModels(key).then(
          () => 200,
          ({ status }) => status,
        ),
      ),
    );
    expect(statuses).toEqual(requestKeys.map((key) => (key === unknownKey ? 401 : 200)));
  });

  it("official OpenAI client against the OpenAI-compatible API is charged for an answer although it timed out while waiting", async () => {
    api.upstream.script = streamText(["Too", " late"], { pauseMs: 400 });
    const { id, key } = await api.createKey(["chat.completions"]);
    await expect(createCompletion(api.createClient(key, { timeout: 300 }))).rejects.toBeInstanceOf(
      OpenAI.APIConnectionTimeoutError,
    );
    await expect.poll(() => countCalls(id)).toBe(1);
  });

  it("official OpenAI client against the OpenAI-compatible API is charged for an answer although it disconnected in the middle of the stream", async () => {
    api.upstream.script = streamText(
      Array.from({ length: 20 }, (_, n) => `word${n} `),
      { pauseMs: 30 },
    );
    const { id, key } = await api.createKey(["chat.completions"]);
    const stream = await createCompletion(api.createClient(key), { stream: true });
    for await (const { choices } of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>) {
      if (choices[0]?.delta.content) break;
    }
    // Other requests are served while the abandoned answer completes and is counted.
    await createCompletion(api.openai);
    await expect.poll(() => countCalls(id)).toBe(1);
  });

  it("official OpenAI client against the OpenAI-compatible API receives comments as heartbeats while the model sends nothing", async () => {
    api.upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "Let me see" }));
      await sleep(11_000);
      response.write(chunk({ content: ": yes" }, { finish_reason: "stop" }));
      response.end("data: [DONE]\n\n");
    };
    const response = await fetch(`${api.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${api.key}` },
      body: JSON.stringify({ model: api.slug, messages: helloMessages, stream: true }),
    });
    const text = await response.text();
    expect(text).toContain(": still here\n\n");
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(text).not.toMatch(/^event:/m);
  });
});
