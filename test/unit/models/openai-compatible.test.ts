import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { log } from "#shared/lib/log.ts";
import { openStream as openModels } from "#shared/models/open-stream.ts";
import type { StreamTimeouts } from "#shared/models/supervise-stream.ts";
import { callOptions, describeError, readModelStream } from "#test/support/models/model-stream.ts";
import {
  chunk,
  errorResponse,
  type Script,
  startEventStream,
  startUpstream,
  type Upstream,
} from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";

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
    MODEL_API_KEY: "sk-secret",
    LOG_LEVEL: "warn",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const sseEvent = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const stop = chunk({}, { finish_reason: "stop" });
const usageChunk = (usage: unknown, choices: unknown = []) =>
  sseEvent({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices, usage });
const done = "data: [DONE]\n\n";
const toolCallChunk = (index: number, fields: Record<string, unknown>) => chunk({ tool_calls: [{ index, ...fields }] });

const streamChunks =
  (...chunks: (string | Buffer)[]): Script =>
  async (response) => {
    startEventStream(response);
    for (const part of chunks) {
      response.write(part);
      await new Promise(setImmediate);
    }
    response.end();
  };

const cutConnection: Script = async (response) => {
  startEventStream(response);
  response.destroy();
};

it("request to an OpenAI-compatible provider marks the texts that its model caches", async () => {
  upstream.script = streamChunks(chunk({ content: "Two." }), stop, done);
  const providerOptions = { openaiCompatible: { cache_control: { type: "ephemeral" } } };
  const prompt: typeof callOptions.prompt = [
    { role: "system", content: "Be brief.", providerOptions },
    { role: "user", content: [{ type: "text", text: "One?" }] },
    { role: "assistant", content: [{ type: "text", text: "One." }], providerOptions },
    { role: "user", content: [{ type: "text", text: "Two?" }] },
  ];
  await readModelStream(["m"], { prompt });
  const marked = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
  expect(upstream.requests[0]?.body.messages).toEqual([
    { role: "system", content: marked("Be brief.") },
    { role: "user", content: "One?" },
    { role: "assistant", content: marked("One.") },
    { role: "user", content: "Two?" },
  ]);
});

it("request to an OpenAI-compatible provider marks the last part of a message with several parts", async () => {
  upstream.script = streamChunks(chunk({ content: "Two." }), stop, done);
  const providerOptions = { openaiCompatible: { cache_control: { type: "ephemeral" } } };
  const parts = [
    { type: "text", text: "One?" },
    { type: "text", text: "Look." },
  ] as const;
  await readModelStream(["m"], { prompt: [{ role: "user", content: [...parts], providerOptions }] });
  expect(upstream.requests[0]?.body.messages).toEqual([
    { role: "user", content: [parts[0], { ...parts[1], cache_control: { type: "ephemeral" } }] },
  ]);
});

it.each(["reasoning_content", "reasoning"])(
  "answer stream of an OpenAI-compatible provider yields reasoning from the field %s",
  async (field) => {
    upstream.script = streamChunks(
      chunk({ role: "assistant", content: "" }),
      chunk({ [field]: "Hm, " }),
      chunk({ [field]: "two." }),
      chunk({ content: "Two." }),
      stop,
      usageChunk({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }),
      done,
    );
    const { text, reasoning, error } = await readModelStream(["m"]);
    expect([text, reasoning, error]).toEqual(["Two.", "Hm, two.", null]);
    expect(upstream.requests[0]?.authorization).toBe("Bearer sk-secret");
  },
);

it("answer stream of an OpenAI-compatible provider yields parallel tool calls whose arguments are interleaved", async () => {
  upstream.script = streamChunks(
    toolCallChunk(0, { id: "call_1", type: "function", function: { name: "search_knowledge", arguments: "" } }),
    toolCallChunk(1, { id: "call_2", type: "function", function: { name: "current_time", arguments: "{}" } }),
    toolCallChunk(0, { function: { arguments: '{"query":' } }),
    toolCallChunk(0, { function: { arguments: '"tents"}' } }),
    chunk({}, { finish_reason: "tool_calls" }),
    done,
  );
  const { parts, error } = await readModelStream(["m"]);
  expect(error).toBeNull();
  const calls = parts.filter((part) => part.type === "tool-call");
  expect(calls.map(({ toolName, input }) => [toolName, input]).sort()).toEqual([
    ["current_time", "{}"],
    ["search_knowledge", '{"query":"tents"}'],
  ]);
});

it.each([
  ["in a separate chunk", [stop, usageChunk({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 })]],
  [
    "in the last chunk",
    [
      usageChunk({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }, [
        { index: 0, delta: {}, finish_reason: "stop" },
      ]),
    ],
  ],
  [
    "twice, increasing",
    [
      usageChunk({ prompt_tokens: 9, completion_tokens: 1 }),
      stop,
      usageChunk({ prompt_tokens: 9, completion_tokens: 4 }),
    ],
  ],
])(
  "answer stream of an OpenAI-compatible provider yields the token counts that the provider reports %s",
  async (_, ending) => {
    upstream.script = streamChunks(chunk({ content: "Two." }), ...ending, done);
    const { parts, error } = await readModelStream(["m"]);
    expect(error).toBeNull();
    expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: { total: 9 }, outputTokens: { total: 4 } } });
  },
);

it("answer stream of an OpenAI-compatible provider yields the number of cached tokens", async () => {
  upstream.script = streamChunks(
    chunk({ content: "Two." }),
    stop,
    usageChunk({ prompt_tokens: 100, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 64 } }),
    done,
  );
  const { parts } = await readModelStream(["m"]);
  expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: { total: 100, cacheRead: 64, noCache: 36 } } });
});

it.each([
  ["no [DONE]", (text: string) => text.replace(done, "")],
  ["comments", (text: string) => `: OPENROUTER PROCESSING\n\n${text.replaceAll("\n\n", "\n\n: ping\n\n")}`],
  ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
  ["no space after the colon", (text: string) => text.replaceAll("data: ", "data:")],
  ["event names and ids", (text: string) => text.replaceAll("data: ", "event: message\nid: 7\ndata: ")],
  ["no usage", (text: string) => text.replace(/data: [^\n]*"usage"[^\n]*\n\n/, "")],
])(
  "answer stream of an OpenAI-compatible provider yields the same text when the provider sends it with %s",
  async (_, change) => {
    const stream = [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Zwei — 二." }),
      stop,
      usageChunk({}),
      done,
    ];
    upstream.script = streamChunks(change(stream.join("")));
    const { text, error } = await readModelStream(["m"]);
    expect([text, error]).toEqual(["Zwei — 二.", null]);
  },
);

it("answer stream of an OpenAI-compatible provider yields the same events wherever network chunks are split", async () => {
  const stream =
    chunk({ content: "Zwei — 二." }) + toolCallChunk(0, { id: "c", function: { name: "t", arguments: "{}" } });
  const bytes = Buffer.from(stream + chunk({}, { finish_reason: "tool_calls" }) + done);
  const step = sized({ usual: 23, full: 1 });
  for (let at = 1; at < bytes.length; at += step) {
    upstream.script = streamChunks(bytes.subarray(0, at), bytes.subarray(at));
    const { text, parts, error } = await readModelStream(["m"]);
    const calls = parts.filter(({ type }) => type === "tool-call").length;
    expect([at, text, calls, error]).toEqual([at, "Zwei — 二.", 1, null]);
  }
});

describe("error response of an OpenAI-compatible provider", () => {
  const leak = "key sk-secret, organization org-9f2, https://internal.example/v1";
  it.each([
    [429, "Rate limit reached", { "retry-after": "70" }, "model_overloaded", { "retry-after": "70" }],
    [429, "Rate limit reached", { "retry-after-ms": "61200" }, "model_overloaded", { "retry-after": "62" }],
    [
      429,
      "You exceeded your current quota",
      { "retry-after": "99999999" },
      "model_overloaded",
      { "retry-after": "3600" },
    ],
    [429, "Rate limit reached", { "retry-after": "soon" }, "model_overloaded", {}],
    [529, "Overloaded", {}, "model_overloaded", {}],
    [500, "The server had an error", {}, "unavailable", {}],
    [503, "Loading model", { "retry-after": "20" }, "unavailable", { "retry-after": "20" }],
    [504, "Gateway timeout", {}, "timeout", {}],
    [400, "This model's maximum context length is 8192 tokens. Reduce the length", {}, "context_length_exceeded", {}],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", {}, "context_length_exceeded", {}],
    [413, "Request too large: too many tokens", {}, "context_length_exceeded", {}],
    [400, "Unknown parameter", {}, "model_error", {}],
    [401, "Incorrect API key provided", {}, "model_error", {}],
    [404, "The model does not exist", {}, "model_error", {}],
  ])(
    'error response of an OpenAI-compatible provider is classified by status, message and headers: %i, "%s", %j becomes %s',
    async (status, message, headers, code, expectedHeaders) => {
      upstream.script = errorResponse(status, `${message} (${leak})`, headers as Record<string, string>);
      const { error } = await readModelStream(["m"]);
      expect(describeError(error).code).toBe(code);
      expect(error).toMatchObject({ headers: expectedHeaders });
      expect(describeError(error).text).not.toMatch(/sk-secret|org-9f2|internal/);
    },
  );

  it("error response of an OpenAI-compatible provider leads to the error code unavailable when it is an HTML page", async () => {
    upstream.script = async (response) => void response.writeHead(502).end("<html>Bad gateway</html>");
    expect(describeError((await readModelStream(["m"])).error).code).toBe("unavailable");
  });

  it("refused connection to an OpenAI-compatible provider leads to the error code unavailable", async () => {
    vi.stubEnv("MODEL_BASE_URL", "http://127.0.0.1:1/v1");
    const { error } = await readModelStream(["m"]);
    expect(describeError(error)).toEqual({
      code: "unavailable",
      text: "The language model cannot be reached at the moment. {}",
    });
  });
});

describe("failure of an OpenAI-compatible provider's stream", () => {
  const firstChunk = chunk({ content: "Two" });
  it.each<[string, (response: ServerResponse) => Promise<void>, string]>([
    ["is disconnected", async (response: ServerResponse) => void response.destroy(), "unavailable"],
    ["ends without a finish reason", async (response: ServerResponse) => void response.end(), "unavailable"],
    ["sends malformed JSON", async (response: ServerResponse) => void response.end("data: {oops\n\n"), "model_error"],
    [
      "reports an error",
      async (response: ServerResponse) => void response.end(sseEvent({ error: { message: "sk-secret", code: 500 } })),
      "unavailable",
    ],
    [
      "reports a rate limit",
      async (response: ServerResponse) =>
        void response.end(sseEvent({ error: { message: "sk-secret", type: "rate_limit_exceeded" } })),
      "model_overloaded",
    ],
  ])(
    "failure of an OpenAI-compatible provider's stream keeps the text so far and calls no fallback model when the stream %s",
    async (_, end, code) => {
      upstream.script = async (response) => {
        startEventStream(response);
        response.write(firstChunk);
        await sleep(20);
        await end(response);
      };
      const { text, error } = await readModelStream(["m", "other"]);
      expect([text, describeError(error).code]).toEqual(["Two", code]);
      expect(describeError(error).text).not.toContain("sk-secret");
      expect(upstream.requests).toHaveLength(1);
    },
  );
});

describe("log entry of an unreadable stream", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["malformed JSON", 'data: {"choices": "purple"\n\n'],
    ["text with malformed JSON", 'data: {"choices":[{"delta":{"content":"purple\n\n'],
  ])(
    "log entry of an unreadable stream contains none of the model's text when the stream contains %s",
    async (_, part) => {
      upstream.script = streamChunks(chunk({ role: "assistant", content: "Two" }), part);
      const { error } = await readModelStream(["m"]);
      const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
      log.warn("run failed", { error });
      const [line] = write.mock.calls.flat();
      expect(line).toMatch(/could not be parsed.*malformed JSON/);
      expect(line).not.toContain("purple");
    },
  );
});

describe("fallback model of a completion", () => {
  const failFirstModel: Script = async (response, request) => {
    if (request.body.model === "other")
      return streamChunks(chunk({ content: "Fallback answer." }), stop, done)(response, request);
    return failure(response, request);
  };
  let failure: Script;

  it.each<[string, Script]>([
    ["is rate limited", errorResponse(429, "wait", { "retry-after": "9" })],
    ["is disconnected before its first token", cutConnection],
    ["ends without text", streamChunks(chunk({ role: "assistant", content: "" }), stop, done)],
    ["starts with an error", streamChunks(sseEvent({ error: { message: "no", code: 500 } }))],
    ["sends malformed events", streamChunks("data: hello\n\n")],
  ])("fallback model of a completion answers when the first model %s", async (_, script) => {
    failure = script;
    upstream.script = failFirstModel;
    const { text, opened, error } = await readModelStream(["m", "other"]);
    expect([text, error]).toEqual(["Fallback answer.", null]);
    expect(opened).toMatchObject({ modelId: "other", fellBack: true });
  });

  it("failure of both models of a completion leads to the first model's error", async () => {
    upstream.script = async (response, request) =>
      errorResponse(request.body.model === "m" ? 429 : 500, "no")(response, request);
    expect(describeError((await readModelStream(["m", "other"])).error).code).toBe("model_overloaded");
    expect(upstream.requests.map(({ body }) => body.model)).toEqual(["m", "m", "m", "other", "other", "other"]);
  });

  it("fallback model of a completion answers at once when the first model's Retry-After is several seconds", async () => {
    const busy = errorResponse(429, "no", { "retry-after": "4" });
    const answer = streamChunks(chunk({ content: "Fallback answer." }), stop, done);
    upstream.script = (response, request) => (request.body.model === "m" ? busy : answer)(response, request);
    expect((await readModelStream(["m", "other"])).text).toBe("Fallback answer.");
    expect(upstream.requests.map(({ body }) => body.model)).toEqual(["m", "other"]);
  });

  it.each([
    ["limits the rate of requests", errorResponse(429, "slow down")],
    ["is unavailable", errorResponse(503, "no")],
    ["loses the connection before its first token", cutConnection],
  ])("completion is answered by the same model on another attempt when the provider first %s", async (_, script) => {
    upstream.script = (response, request) =>
      upstream.requests.length === 1
        ? script(response, request)
        : streamChunks(chunk({ content: "Second attempt." }), stop, done)(response, request);
    const { text, opened, error } = await readModelStream(["m"]);
    expect([text, error]).toEqual(["Second attempt.", null]);
    expect(opened).toMatchObject({ modelId: "m", fellBack: false });
    expect(upstream.requests).toHaveLength(2);
  });
});

describe("timeouts of a streamed model answer", () => {
  const limits: StreamTimeouts = { firstTokenMs: 250, idleMs: 250 };
  const waitForClose = (response: ServerResponse) => new Promise<void>((resolve) => response.once("close", resolve));

  it("timeouts of a streamed model answer close the connection and call the fallback model before the first token", async () => {
    let closed: Promise<void> = Promise.resolve();
    upstream.script = async (response, request) => {
      if (request.body.model === "other") {
        return streamChunks(chunk({ content: "Fallback answer." }), stop, done)(response, request);
      }
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "" }));
      closed = waitForClose(response);
      await closed;
    };
    expect((await readModelStream(["m", "other"], {}, limits)).text).toBe("Fallback answer.");
    await closed;
  });

  it("timeouts of a streamed model answer apply while the provider has not sent response headers", async () => {
    upstream.script = async (response) => waitForClose(response);
    expect(describeError((await readModelStream(["m"], {}, limits)).error).code).toBe("timeout");
  });

  it("timeouts of a streamed model answer end a stream that stalls", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ content: "Two" }));
      await waitForClose(response);
    };
    const { text, error } = await readModelStream(["m"], {}, limits);
    expect([text, describeError(error).code]).toEqual(["Two", "timeout"]);
  });

  it("timeouts of a streamed model answer do not end a stream while chunks arrive or the caller is slow", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      for (let count = 0; count < 20; count++) {
        response.write(chunk({ content: "." }));
        await sleep(80);
      }
      response.end(stop + done);
    };
    const opened = await openModels(["m"], callOptions, { firstTokenMs: 1_000, idleMs: 1_000 });
    await sleep(1_200);
    let text = "";
    for await (const part of opened.stream) if (part.type === "text-delta") text += part.delta;
    expect(text).toBe(".".repeat(20));
  });

  it("streamed model answer ends with the caller's reason after an abort, and calls no fallback model", async () => {
    const reason = new Error("stopped");
    for (const hasText of [false, true]) {
      upstream.requests.length = 0;
      const controller = new AbortController();
      let closed: Promise<void> = Promise.resolve();
      upstream.script = async (response) => {
        startEventStream(response);
        if (hasText) response.write(chunk({ content: "Two" }));
        closed = waitForClose(response);
        setTimeout(() => controller.abort(reason), 50);
        await closed;
      };
      const { error } = await readModelStream(["m", "other"], { abortSignal: controller.signal });
      expect(error).toBe(reason);
      expect(upstream.requests).toHaveLength(1);
      await closed;
    }
  });

  it("streamed model answer sends no request when the caller has already aborted", async () => {
    const { error } = await readModelStream(["m"], { abortSignal: AbortSignal.abort(new Error("gone")) });
    expect(error).toMatchObject({ message: "gone" });
    expect(upstream.requests).toHaveLength(0);
  });

  it("streamed model answer closes the provider's connection when the caller stops reading", async () => {
    let closed: Promise<void> = Promise.resolve();
    upstream.script = async (response) => {
      startEventStream(response);
      closed = waitForClose(response);
      while (!response.destroyed) {
        response.write(chunk({ content: "and " }));
        await sleep(5);
      }
    };
    const { stream } = await openModels(["m"], callOptions);
    for await (const part of stream) if (part.type === "text-delta") break;
    await closed;
  });
});

describe("lines of a provider's stream that are no part of the answer", () => {
  const lines: readonly string[] = [
    "data: {}",
    'data: {"choices":null}',
    'data: {"choices":{}}',
    'data: {"choices":[null]}',
    'data: {"choices":[{}]}',
    'data: {"choices":[{"index":0,"delta":null,"finish_reason":null}]}',
    'data: {"choices":[{"index":0,"delta":{"role":"model","content":null}}]}',
    'data: {"choices":[{"index":0,"delta":{"content":{"text":1},"tool_calls":null}}]}',
    'data: {"choices":[{"index":"0","delta":{"tool_calls":[null]},"finish_reason":""}]}',
    'data: {"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}',
    'data: {"choices":[],"usage":{"prompt_tokens":"9","prompt_tokens_details":"none"}}',
    'data: {"type":"ping"}',
    'event: ping\ndata: {"type":"ping"}',
    'data: {"id":1,"created":"now","model":null,"error":null}',
    'data: {"error":{}}',
    'data: {"prompt_filter_results":[{"prompt_index":0}]}',
    "data:",
    "data: ",
    "data: null",
    "data: ping",
    'data: "keep-alive"',
    "data: []",
    ": comment",
    "retry: 1000",
    "id: 7",
  ];
  const answer = [chunk({ role: "assistant", content: "Two " }), chunk({ content: "tents." }), stop, done];

  it.each(lines)(
    "answer stream of an OpenAI-compatible provider is read to its end with the line %j at any place",
    async (line) => {
      for (let place = 0; place <= answer.length; place++) {
        upstream.script = streamChunks(...answer.toSpliced(place, 0, `${line}\n\n`));
        const { text, parts, error } = await readModelStream(["m"]);
        expect([place, text, error]).toEqual([place, "Two tents.", null]);
        expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
      }
    },
  );

  it.each([
    ["a finish reason and no [DONE]", [chunk({ content: "Two tents." }), stop]],
    ["[DONE] and no finish reason", [chunk({ content: "Two tents." }), done]],
    ["[DONE] with spaces", [chunk({ content: "Two tents." }), stop, "data:  [DONE] \n\n"]],
    ["arguments of a tool as an object", [chunk({ content: "Two tents.", tool_calls: [] }), stop, done]],
  ])("answer stream of an OpenAI-compatible provider is complete with %s", async (_, chunks) => {
    upstream.script = streamChunks(...chunks);
    const { text, error } = await readModelStream(["m"]);
    expect([text, error]).toEqual(["Two tents.", null]);
  });

  it("answer stream of an OpenAI-compatible provider yields a tool call without index, with an object as arguments", async () => {
    const call = {
      id: "call_1",
      type: "function",
      function: { name: "search_knowledge", arguments: { query: "tents" } },
    };
    upstream.script = streamChunks(chunk({ tool_calls: [call] }), chunk({}, { finish_reason: "tool_calls" }), done);
    const { parts, error } = await readModelStream(["m"]);
    expect(error).toBeNull();
    expect(parts.find((part) => part.type === "tool-call")).toMatchObject({
      toolName: "search_knowledge",
      input: '{"query":"tents"}',
    });
  });

  it.each([
    ["an error", { error: { message: "out of memory", type: "server_error" } }],
    ["an error as text", { error: "out of memory" }],
    ["an error without a wrapper", { object: "error", message: "out of memory", type: "server_error", code: 500 }],
    ["an error of a gateway", { type: "error", message: "out of memory", code: 503 }],
  ])("answer stream of an OpenAI-compatible provider fails with %s between its chunks", async (_, event) => {
    upstream.script = streamChunks(chunk({ content: "Two " }), sseEvent(event));
    const { text, error } = await readModelStream(["m"]);
    expect(text).toBe("Two ");
    expect(["unavailable", "model_error"]).toContain(describeError(error).code);
  });
});

describe("reasoning between tags", () => {
  const read = async (texts: readonly string[], fields: Record<string, unknown> = {}) => {
    upstream.script = streamChunks(...texts.map((content) => chunk({ content, ...fields })), stop, done);
    const { text, reasoning, error } = await readModelStream(["m"]);
    expect(error).toBeNull();
    return { text, reasoning };
  };
  /** Splits a text into deltas of one to three characters. */
  const toDeltas = (text: string) => text.match(/[\s\S]{1,3}/g) ?? [];

  it.each([
    ["<think>Hm, two.</think>Two.", "Two.", "Hm, two."],
    ["<think>\nHm, two.\n</think>\n\nTwo.", "Two.", "\nHm, two.\n"],
    ["\n\n<think>Hm</think>Two.", "Two.", "Hm"],
    ["<think></think>\n\nTwo.", "Two.", ""],
    ["<thinking>Hm</thinking> Two.", "Two.", "Hm"],
    ["<thought>Hm</thought>Two.", "Two.", "Hm"],
    ["<reasoning>Hm</reasoning>Two.", "Two.", "Hm"],
    ["[THINK]Hm[/THINK]Two.", "Two.", "Hm"],
    ["<seed:think>Hm</seed:think>Two.", "Two.", "Hm"],
    ["◁think▷Hm◁/think▷Two.", "Two.", "Hm"],
    ["<think>a < b, and </thi is no end</think>Two.", "Two.", "a < b, and </thi is no end"],
    ["<think>考える</think>二つです。", "二つです。", "考える"],
    ["<think>Hm, tw", "", "Hm, tw"],
    ["Use <think> for that.</think>", "Use <think> for that.</think>", ""],
    ["<thin> walls", "<thin> walls", ""],
    ["<thi", "<thi", ""],
    ["\n  Two.", "\n  Two.", ""],
    ["<think>Hm</think>Two, not <think>three</think>.", "Two, not <think>three</think>.", "Hm"],
  ])("in an answer of an OpenAI-compatible provider are no text of the answer: %j", async (sent, text, reasoning) => {
    expect(await read([sent])).toEqual({ text, reasoning });
    expect(await read(toDeltas(sent))).toEqual({ text, reasoning });
  });

  it("in an answer of an OpenAI-compatible provider are text when the model has a field for reasoning", async () => {
    const { text, reasoning } = await read(["<think>Two.</think>"], { reasoning_content: "Hm" });
    expect([text, reasoning]).toEqual(["<think>Two.</think>", "Hm"]);
  });

  it("in an answer of an OpenAI-compatible provider are text when the setting of the model says so", async () => {
    const model = { provider: "p", reasoning_tags: false };
    const providers = { p: { type: "openai-compatible", base_url: upstream.baseUrl } };
    vi.stubEnv("MODELS", JSON.stringify({ providers, models: { m: model }, tiers: { default: "m" } }));
    expect(await read(["<think>Hm</think>Two."])).toEqual({ text: "<think>Hm</think>Two.", reasoning: "" });
  });

  it("in front of a tool call of an OpenAI-compatible provider are reasoning", async () => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "search_knowledge", arguments: "{}" } };
    upstream.script = streamChunks(
      chunk({ content: "<think>Hm" }),
      chunk({ tool_calls: [call] }),
      chunk({}, { finish_reason: "tool_calls" }),
      done,
    );
    const { text, reasoning, parts } = await readModelStream(["m"]);
    expect([text, reasoning]).toEqual(["", "Hm"]);
    expect(parts.some((part) => part.type === "tool-call")).toBe(true);
  });
});
