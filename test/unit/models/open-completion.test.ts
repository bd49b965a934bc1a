import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "#shared/lib/errors.ts";
import { EventParser } from "#shared/lib/event-parser.ts";
import type { ChatChunk } from "#shared/models/chat-chunk.ts";
import {
  answerTimeoutMs,
  type CompletionRequest,
  openCompletion,
  requestCompletion,
} from "#shared/models/open-completion.ts";
import { toSafeMessage } from "#shared/models/safe-message.ts";
import { readModelStream } from "#test/support/models/model-stream.ts";
import {
  chunk,
  errorResponse,
  jsonResponse,
  type Script,
  startEventStream,
  startUpstream,
  streamText,
  type Upstream,
} from "#test/support/models/upstream.ts";

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

beforeEach(() => {
  upstream.requests.length = 0;
  const settings = {
    MODELS: "",
    MODEL_FALLBACK: "",
    MODEL_PROVIDER: "openai-compatible",
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_API_KEY: "sk-secret-of-ours",
    MODEL_FIRST_TOKEN_TIMEOUT_SECONDS: "2",
    LOG_LEVEL: "error",
    STAGE: "test",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const request: CompletionRequest = {
  toBody: () => ({ messages: [{ role: "user", content: "Hi" }] }),
  toOptions: () => ({ prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] }),
};

async function readText(modelIds: readonly [string, ...string[]], onRetry?: () => void): Promise<string> {
  const { result } = await openCompletion(modelIds, request, { onRetry });
  const chunks: ChatChunk[] = await Array.fromAsync(result);
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? "")).join("");
}

describe("parser of a provider's event stream", () => {
  const stream =
    'event: x\ndata: {"a":1}\n\n: comment\r\n\r\ndata:two\r\ndata: lines\r\n\r\nid: 7\rdata: 二 — ü\r\rdata: [DONE]';

  it("parser of a provider's event stream returns the same events wherever chunks are split", () => {
    const bytes = Buffer.from(stream);
    const expected = ['{"a":1}', "two\nlines", "二 — ü", "[DONE]"];
    for (let at = 0; at <= bytes.length; at++) {
      const parser = new EventParser();
      const events = [...parser.push(bytes.subarray(0, at)), ...parser.push(bytes.subarray(at)), ...parser.end()];
      expect([at, events]).toEqual([at, expected]);
    }
  });
});

describe("retries of a completion before the first token", () => {
  const failOnce =
    (script: Script): Script =>
    async (...args) =>
      upstream.requests.length === 1 ? script(...args) : streamText(["Now"])(...args);

  it.each<[string, Script]>([
    ["429", errorResponse(429, "slow down")],
    ["500", errorResponse(500, "error")],
    ["502", errorResponse(502, "error")],
    ["503", errorResponse(503, "error")],
    ["529", errorResponse(529, "overloaded")],
    ["a lost connection", async (response) => void response.destroy()],
    [
      "a stream that is cut off",
      async (response) => {
        startEventStream(response);
        response.write(chunk({ role: "assistant", content: "" }));
        response.end();
      },
    ],
  ])("retries of a completion before the first token happen after %s", async (_, script) => {
    upstream.script = failOnce(script);
    const onRetry = vi.fn();
    expect(await readText(["m", "other"], onRetry)).toBe("Now");
    expect(onRetry).toHaveBeenCalledOnce();
    expect(upstream.requests.map(({ body }) => body.model)).toEqual(["m", "m"]);
    upstream.requests.length = 0;
    if (_ !== "a stream that is cut off") {
      const { result } = await requestCompletion(["m"], request);
      expect(result.choices[0]?.message.content).toBe("Now");
    }
  });

  it.each([400, 401, 403, 404, 422, 504])(
    "retries of a completion before the first token do not happen after status %i",
    async (status) => {
      upstream.script = errorResponse(status, "no");
      await expect(readText(["m"])).rejects.toBeInstanceOf(ServiceError);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  it("retries of a completion before the first token wait for a short `Retry-After`, and use the fallback model instead of a long wait", async () => {
    upstream.script = failOnce(errorResponse(429, "wait", { "retry-after": "1" }));
    const startedAt = performance.now();
    expect(await readText(["m"])).toBe("Now");
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    upstream.requests.length = 0;
    upstream.script = failOnce(errorResponse(429, "wait", { "retry-after": "30" }));
    expect(await readText(["m", "other"])).toBe("Now");
    expect(upstream.requests.map(({ body }) => body.model)).toEqual(["m", "other"]);
  });

  it("retries of a completion before the first token end when the delays that a provider requests exceed 1.5 s, so that its status still reaches the caller", async () => {
    upstream.script = errorResponse(429, "wait", { "retry-after": "1" });
    await expect(readText(["m"])).rejects.toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect(upstream.requests).toHaveLength(2);
  });

  it("retries of a completion before the first token end with the first model's error and `Retry-After` when all models fail", async () => {
    upstream.script = async (response, received) =>
      errorResponse(received.body.model === "m" ? 429 : 500, "no", { "retry-after": "30" })(response, received);
    await expect(readText(["m", "other"])).rejects.toMatchObject({ status: 429, headers: { "retry-after": "30" } });
  });
});

it.each<[string, Script]>([
  [
    "an answer in one piece",
    jsonResponse({ choices: [{ index: 0, message: { content: "Now" }, finish_reason: "stop" }] }),
  ],
  [
    "a stream with the wrong type",
    async (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(chunk({ content: "Now" }));
      response.end(`${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`);
    },
  ],
])("response of type application/json to a request for a stream is read as %s", async (_, script) => {
  upstream.script = script;
  expect(await readText(["m"])).toBe("Now");
  expect(upstream.requests).toHaveLength(1);
});

describe("response of a provider with defects in its transport", () => {
  const events = chunk({ content: "Now" }) + chunk({}, { finish_reason: "stop" });
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const usageEvent = `data: ${JSON.stringify({ id: "chatcmpl-1", created: 1, model: "m", choices: [], usage })}\n\n`;
  const respond =
    (body: string | Buffer, headers: Record<string, string> = {}): Script =>
    async (response) =>
      void response.writeHead(200, { "content-type": "text/event-stream", ...headers }).end(body);

  it.each<[string, Script]>([
    ["starts with a byte order mark", respond(`\uFEFF${events}data: [DONE]\n\n`)],
    [
      "is compressed without a request for it",
      respond(gzipSync(`${events}data: [DONE]\n\n`), { "content-encoding": "gzip" }),
    ],
    [
      "keeps the connection open after [DONE] and then loses it",
      async (response) => {
        startEventStream(response);
        response.write(`${events}data: [DONE]\n\n`);
        setTimeout(() => response.destroy(), 2_000).unref();
      },
    ],
    [
      "is cut off after [DONE]",
      async (response) => {
        startEventStream(response);
        response.write(`${events}data: [DONE]\n\n`);
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])(
    "response of a provider with defects in its transport is read as an answer by both clients when it %s",
    async (_, script) => {
      upstream.script = script;
      expect(await readText(["m"])).toBe("Now");
      expect(await readModelStream(["m"])).toMatchObject({ text: "Now", error: null });
    },
  );

  it("response of a provider that sends the usage after [DONE] still includes the usage", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(`${events}data: [DONE]\n\n`);
      setTimeout(() => response.write(usageEvent), 50);
    };
    const { result } = await openCompletion(["m"], request, {});
    expect((await Array.fromAsync(result)).at(-1)).toMatchObject({ usage });
  });

  it.each<[string, number, string, RegExp]>([
    ["a redirect", 307, "model_error", /redirect \(status 307\)/],
    ["no content", 204, "model_error", /no answer \(status 204\)/],
    ["a failure", 500, "unavailable", /provider failed \(status 500\)/],
  ])(
    "response of a provider that contains no answer leads to an error that names the kind of response: %s",
    async (_, status, code, message) => {
      upstream.script = async (response) => void response.writeHead(status, { location: "/v2/elsewhere" }).end();
      const expected = { code, message: expect.stringMatching(message) };
      await expect(readText(["m"])).rejects.toMatchObject(expected);
      await expect(requestCompletion(["m"], request)).rejects.toMatchObject(expected);
      expect((await readModelStream(["m"])).error).toMatchObject(expected);
    },
  );

  it("chunk of a provider whose choices have no index and no delta gets both", async () => {
    const choices = '[{"delta":{"content":"Now"}},{"finish_reason":"stop"}]';
    upstream.script = respond(`data: {"choices":${choices}}\n\ndata: [DONE]\n\n`);
    const { result } = await openCompletion(["m"], request, {});
    const expected = [
      { index: 0, delta: { content: "Now" } },
      { index: 1, delta: {}, finish_reason: "stop" },
    ];
    expect(await Array.fromAsync(result)).toEqual([{ choices: expected }]);
  });

  it("non-streamed response of a provider is read without the byte order mark at its beginning", async () => {
    const completion = { choices: [{ index: 0, message: { content: "Now" }, finish_reason: "stop" }] };
    upstream.script = respond(`\uFEFF${JSON.stringify(completion)}`, { "content-type": "application/json" });
    expect((await requestCompletion(["m"], request)).result.choices[0]?.message.content).toBe("Now");
  });
});

describe("texts of a stream that arrive in one network packet", () => {
  const readDeltas = async (events: string, end = `${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`) => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.end(events + end);
    };
    const { result } = await openCompletion(["m"], request, {});
    const deltas: unknown[] = [];
    const error = await (async () => {
      for await (const { choices } of result) deltas.push(...choices.map(({ delta }) => delta));
    })().catch(({ code }) => code);
    return { deltas, error };
  };
  const texts = (...contents: string[]) => contents.map((content) => chunk({ content })).join("");

  it("texts of a stream that arrive in one network packet become one chunk", async () => {
    const { deltas } = await readDeltas(chunk({ role: "assistant", content: "" }) + texts("One ", "two ", "three"));
    expect(deltas).toEqual([{ role: "assistant", content: "" }, { content: "One two three" }, {}]);
  });

  const content = chunk({ content: "b" });
  const twoChoices = content.replace('"choices":[', '"choices":[{"index":0,"delta":{"content":"c"}},');

  it.each<[string, string, unknown[]]>([
    ["another field", chunk({ reasoning_content: "b" }), [{ reasoning_content: "b" }]],
    ["a tool call", chunk({ content: "b", tool_calls: [] }), [{ content: "b", tool_calls: [] }]],
    ["the same role", chunk({ role: "b" }).repeat(2), [{ role: "b" }, { role: "b" }]],
    ["another choice", chunk({ content: "b" }, { index: 1 }), [{ content: "b" }]],
    ["two choices", twoChoices, [{ content: "c" }, { content: "b" }]],
    ["log probabilities", chunk({ content: "b" }, { logprobs: { content: [] } }), [{ content: "b" }]],
    ["a finish reason", chunk({ content: "b" }, { finish_reason: "length" }), [{ content: "b" }]],
    ["another response field", content.replace('"m"', '"m","obfuscation":"x"'), [{ content: "b" }]],
  ])(
    "texts of a stream that arrive in one network packet are not joined with a chunk that has %s",
    async (_, events, expected) => {
      const { deltas } = await readDeltas(chunk({ content: "a" }) + events);
      expect(deltas).toEqual([{ content: "a" }, ...expected, {}]);
    },
  );

  it("texts of a stream that arrive in one network packet with an error are delivered before it", async () => {
    const error = `data: ${JSON.stringify({ error: { message: "overloaded", code: 503 } })}\n\n`;
    const received = await readDeltas(texts("One ", "two") + error, "");
    expect(received).toEqual({ deltas: [{ content: "One two" }], error: expect.any(String) });
  });
});

it("timeouts of a completion end a request in which no token arrives", async () => {
  vi.stubEnv("MODEL_FIRST_TOKEN_TIMEOUT_SECONDS", "0.2");
  upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ role: "assistant", content: "" }));
    await sleep(600);
    response.destroy();
  };
  await expect(readText(["m"])).rejects.toMatchObject({ code: "timeout" });
});

it("timeouts of a completion let a model start as late as its setting allows", async () => {
  const models = { late: { provider: "one", first_token_timeout_seconds: 840 } };
  const providers = { one: { type: "openai-compatible", base_url: upstream.baseUrl } };
  vi.stubEnv("MODELS", JSON.stringify({ providers, models, tiers: { default: "late" } }));
  const waitWith = async (seconds: number) => {
    const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    upstream.script = async (response) => {
      asked.resolve();
      await release.promise;
      startEventStream(response);
      response.write(chunk({ content: "Late" }));
      response.end(chunk({}, { finish_reason: "stop" }));
    };
    vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
    const reading = readText(["late"]);
    const settled = reading.then(String, ({ code }) => code);
    await asked.promise;
    vi.advanceTimersByTime(seconds * 1_000);
    vi.useRealTimers();
    release.resolve();
    return settled;
  };
  expect(await waitWith(780)).toBe("Late");
  expect(await waitWith(900)).toBe("timeout");
});

it("timeouts of a completion limit the total time of a non-streamed request over all models, and the error suggests streaming", async () => {
  const release = Promise.withResolvers<void>();
  upstream.script = () => release.promise;
  await expect(requestCompletion(["m", "other"], request, {}, 200)).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("`stream`"),
    headers: { "x-should-retry": "false" },
  });
  release.resolve();
  expect(upstream.requests).toHaveLength(1);
});

it("timeouts of a completion let an answer that is not streamed take five minutes, or as long as a first token if that may be later", () => {
  expect(answerTimeoutMs("m")).toBe(300_000);
  vi.stubEnv("MODEL_FIRST_TOKEN_TIMEOUT_SECONDS", "840");
  expect(answerTimeoutMs("m")).toBe(840_000);
});

it("completion closes the provider's connection when the caller stops reading", async () => {
  const closed = Promise.withResolvers<void>();
  upstream.script = async (response) => {
    startEventStream(response);
    response.once("close", () => closed.resolve());
    while (!response.destroyed) {
      response.write(chunk({ content: "and " }));
      await sleep(5);
    }
  };
  const { result } = await openCompletion(["m"], request, {});
  for await (const _ of result) break;
  await closed.promise;
});

it.each([
  "Incorrect API key provided: sk-proj-a1B2c3D4e5F6",
  "key sk-secret-of-ours is wrong",
  "Rate limit for org-9f2Kd83 on requests",
  "see https://internal.example/v1?token=1",
  "connect to vllm-7.prod.internal:8000 failed",
  "10.1.2.3:8000 refused",
  "localhost:11434 refused",
  "arn:aws:bedrock:eu-west-1:123456789012:model/x is denied",
  "account 123456789012 is blocked",
  "mail ops@example.com",
  "Bearer abc.def.ghi",
  "request 550e8400-e29b-41d4-a716-446655440000",
])("provider's error message that callers may see contains no key, address or account: %s", (message) => {
  const safe = toSafeMessage(message);
  expect(safe).toMatch(/\[\w+\]/);
  expect(safe).not.toMatch(/a1B2|of-ours|9f2K|internal|10\.1|11434|123456789012|ops@|abc\.def|550e/);
});

it("provider's error message that callers may see contains field names, values and versions unchanged", () => {
  const message =
    "Invalid schema for response_format 'reply': In context=('properties', 'a.b'), 'additionalProperties' is required to be false. messages[2].content, gpt-4.1-mini, 128000 tokens, user_name";
  expect(toSafeMessage(message)).toBe(message);
});
