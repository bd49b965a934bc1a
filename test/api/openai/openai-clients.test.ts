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

let surface: OpenaiApi;

beforeAll(async () => {
  surface = await startOpenaiApi({ RATE_LIMIT_API_KEY: "40" });
});

afterAll(async () => {
  await surface?.stop();
  expect(validated.bodies + validated.streams).toBeGreaterThan(10);
});

const hello = [{ role: "user" as const, content: "Hello" }];

/** A model that calls a tool when it has not got its result yet. */
const toolCaller: Script = async (response, { body }) => {
  if (body.messages.at(-1).role === "tool") return streamText(["21 degrees, ", "sunny"])(response, {} as never);
  startEventStream(response);
  const call = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } };
  response.write(chunk({ role: "assistant", content: null, tool_calls: [call] }));
  for (const piece of ['{"city":', '"Bern"}']) {
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  }
  response.write(chunk({}, { finish_reason: "tool_calls" }));
  response.end("data: [DONE]\n\n");
};

const parameters = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };

describe("the AI SDK's provider for compatible APIs", () => {
  const model = () =>
    createOpenAICompatible({
      name: "switchboard",
      baseURL: surface.baseUrl,
      apiKey: surface.key,
      includeUsage: true,
      fetch: validatingFetch as typeof fetch,
    }).chatModel(surface.slug);
  const prompt: LanguageModelV4CallOptions["prompt"] = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];

  it("chats and streams", async () => {
    surface.upstream.script = streamText(["Hello", " there"]);
    const { content, finishReason, usage } = await model().doGenerate({ prompt });
    expect(content).toMatchObject([{ type: "text", text: "Hello there" }]);
    expect([finishReason.unified, usage.outputTokens.total]).toEqual(["stop", 5]);
    const parts = await Array.fromAsync((await model().doStream({ prompt })).stream);
    const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
    expect(text).toBe("Hello there");
    expect(parts.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: { total: 10 } } });
  });

  it("calls a tool and goes on with its result", async () => {
    surface.upstream.script = toolCaller;
    const tools = [{ type: "function" as const, name: "weather", inputSchema: parameters }];
    for (const parts of [
      (await model().doGenerate({ prompt, tools })).content,
      await Array.fromAsync((await model().doStream({ prompt, tools })).stream),
    ]) {
      const call = parts.find((part) => part.type === "tool-call");
      expect(call).toMatchObject({ toolCallId: "call_1", toolName: "weather", input: '{"city":"Bern"}' });
    }
    const { content } = await model().doGenerate({
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

describe("LangChain's client", () => {
  const model = () =>
    new ChatOpenAI({
      model: surface.slug,
      apiKey: surface.key,
      maxRetries: 0,
      configuration: { baseURL: surface.baseUrl, fetch: validatingFetch },
    });

  it("chats and streams", async () => {
    surface.upstream.script = streamText(["Hello", " there"]);
    const answer = await model().invoke(hello);
    expect([answer.content, answer.usage_metadata?.total_tokens]).toEqual(["Hello there", 15]);
    const chunks = await Array.fromAsync(await model().stream(hello));
    expect(chunks.map(({ content }) => content).join("")).toBe("Hello there");
  });

  it("calls a tool and goes on with its result", async () => {
    surface.upstream.script = toolCaller;
    const bound = model().bindTools([{ type: "function", function: { name: "weather", parameters } }]);
    const asked = await bound.invoke(hello);
    expect(asked.tool_calls).toMatchObject([{ id: "call_1", name: "weather", args: { city: "Bern" } }]);
    const streamed = await Array.fromAsync(await bound.stream(hello));
    const whole = streamed.reduce((one, other) => one.concat(other));
    expect(whole.tool_calls).toMatchObject([{ id: "call_1", name: "weather", args: { city: "Bern" } }]);
    const result = { role: "tool" as const, tool_call_id: "call_1", content: "21 degrees" };
    expect((await bound.invoke([...hello, asked, result])).content).toBe("21 degrees, sunny");
  });
});

describe("the official client", () => {
  const ask = (client: OpenAI, more: object = {}) =>
    client.chat.completions.create({ model: surface.slug, messages: hello, ...more });

  it("retries what it is told to retry, when it is told to", async () => {
    const { key } = await surface.createKey(["chat.completions"]);
    const client = surface.createClient(key, { maxRetries: 1 });
    let asked = 0;
    surface.upstream.script = async (...given) => {
      asked++;
      await (asked === 1 ? errorResponse(429, "slow down", { "retry-after": "1" }) : streamText(["Now"]))(...given);
    };
    const startedAt = performance.now();
    const { data, response } = await ask(client).withResponse();
    expect([data.choices[0]?.message.content, response.status, asked]).toEqual(["Now", 200, 2]);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
  });

  it("is refused beyond its key's limit, with how long to wait, and nothing reaches the provider", async () => {
    const { key } = await surface.createKey(["chat.completions"]);
    surface.upstream.script = streamText(["Hi"]);
    // The minute may turn in the middle, which makes the allowance whole again.
    const outcomes = await Promise.all(
      Array.from({ length: 85 }, () => ask(surface.createClient(key)).catch((error: unknown) => error)),
    );
    const refused = outcomes.filter((outcome) => outcome instanceof OpenAI.RateLimitError);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { error, headers, type, code } of refused) {
      expect([type, code]).toEqual(["rate_limit_error", "rate_limit_exceeded"]);
      expect((error as { message: string }).message).toMatch(/Try again in \d+ s/);
      const seconds = Number(headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(headers.get("retry-after-ms")).toBe(String(seconds * 1_000));
      expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
      expect(headers.get("x-should-retry")).toBeNull();
    }
    const before = surface.upstream.requests.length;
    await ask(surface.createClient(key)).catch(() => {});
    expect(surface.upstream.requests.length - before).toBeLessThanOrEqual(1);
  });

  /** Calls that were counted for a key. */
  const counted = (id: string) =>
    findItemsContaining(surface.service, "#completion#").filter((item) => item.includes(id)).length;

  it("is told apart from all others that come at the same moment", async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => surface.createKey(["models.read"])));
    const unknown = "swk_abcdefgh_00000000000000000000000000000000";
    const asked = [...keys, ...keys, ...keys].flatMap(({ key }) => [key, unknown]);
    const list = (key: string) => surface.createClient(key).models.list();
    const statuses = await Promise.all(
      asked.map((key) =>
        list(key).then(
          () => 200,
          ({ status }) => status,
        ),
      ),
    );
    expect(statuses).toEqual(asked.map((key) => (key === unknown ? 401 : 200)));
  });

  it("may time out, and the answer is counted all the same", async () => {
    surface.upstream.script = streamText(["Too", " late"], { pauseMs: 400 });
    const { id, key } = await surface.createKey(["chat.completions"]);
    await expect(ask(surface.createClient(key, { timeout: 300 }))).rejects.toBeInstanceOf(
      OpenAI.APIConnectionTimeoutError,
    );
    await expect.poll(() => counted(id), { timeout: 10_000 }).toBe(1);
  });

  it("may leave in the middle of a stream", async () => {
    surface.upstream.script = streamText(
      Array.from({ length: 20 }, (_, n) => `word${n} `),
      { pauseMs: 30 },
    );
    const { id, key } = await surface.createKey(["chat.completions"]);
    const stream = await ask(surface.createClient(key), { stream: true });
    for await (const { choices } of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>) {
      if (choices[0]?.delta.content) break;
    }
    // Others are served while the abandoned answer goes to its end, where it is counted.
    await ask(surface.openai);
    await expect.poll(() => counted(id), { timeout: 10_000 }).toBe(1);
  });

  it("gets a sign of life while the model thinks", { timeout: 30_000 }, async () => {
    surface.upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "Let me see" }));
      await sleep(11_000);
      response.write(chunk({ content: ": yes" }, { finish_reason: "stop" }));
      response.end("data: [DONE]\n\n");
    };
    const response = await fetch(`${surface.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${surface.key}` },
      body: JSON.stringify({ model: surface.slug, messages: hello, stream: true }),
    });
    const text = await response.text();
    expect(text).toContain(": still here\n\n");
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(text).not.toMatch(/^event:/m);
  });
});
