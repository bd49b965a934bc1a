import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { log } from "#shared/lib/log.ts";
import { askWhole, openStream as openModels, type StreamLimits } from "#shared/models/open-stream.ts";
import { callOptions, describeError, readModelStream } from "#test/support/models/model-stream.ts";
import {
  chunk,
  errorResponse,
  type Script,
  startEventStream,
  startUpstream,
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

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const stop = chunk({}, { finish_reason: "stop" });
const usage = (counted: unknown, choices: unknown = []) =>
  data({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices, usage: counted });
const done = "data: [DONE]\n\n";
const tool = (index: number, fields: Record<string, unknown>) => chunk({ tool_calls: [{ index, ...fields }] });

const sending =
  (...pieces: (string | Buffer)[]): Script =>
  async (response) => {
    startEventStream(response);
    for (const piece of pieces) {
      response.write(piece);
      await new Promise(setImmediate);
    }
    response.end();
  };

const cut: Script = async (response) => {
  startEventStream(response);
  response.destroy();
};

describe("an answer", () => {
  it.each(["reasoning_content", "reasoning"])("with reasoning in %s", async (field) => {
    upstream.script = sending(
      chunk({ role: "assistant", content: "" }),
      chunk({ [field]: "Hm, " }),
      chunk({ [field]: "two." }),
      chunk({ content: "Two." }),
      stop,
      usage({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }),
      done,
    );
    const { text, reasoning, error } = await readModelStream(["m"]);
    expect([text, reasoning, error]).toEqual(["Two.", "Hm, two.", null]);
    expect(upstream.requests[0]?.authorization).toBe("Bearer sk-secret");
  });

  it("calls tools side by side, their arguments interleaved", async () => {
    upstream.script = sending(
      tool(0, { id: "call_1", type: "function", function: { name: "search_knowledge", arguments: "" } }),
      tool(1, { id: "call_2", type: "function", function: { name: "current_time", arguments: "{}" } }),
      tool(0, { function: { arguments: '{"query":' } }),
      tool(0, { function: { arguments: '"tents"}' } }),
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
    ["in a chunk of its own", [stop, usage({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 })]],
    [
      "with the last piece",
      [
        usage({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }, [
          { index: 0, delta: {}, finish_reason: "stop" },
        ]),
      ],
    ],
    [
      "twice, growing",
      [usage({ prompt_tokens: 9, completion_tokens: 1 }), stop, usage({ prompt_tokens: 9, completion_tokens: 4 })],
    ],
  ])("counts tokens given %s", async (_, ending) => {
    upstream.script = sending(chunk({ content: "Two." }), ...ending, done);
    const { parts, error } = await readModelStream(["m"]);
    expect(error).toBeNull();
    expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: { total: 9 }, outputTokens: { total: 4 } } });
  });

  it("counts cached tokens", async () => {
    upstream.script = sending(
      chunk({ content: "Two." }),
      stop,
      usage({ prompt_tokens: 100, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 64 } }),
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
    ["names of events", (text: string) => text.replaceAll("data: ", "event: message\nid: 7\ndata: ")],
    ["no usage", (text: string) => text.replace(/data: [^\n]*"usage"[^\n]*\n\n/, "")],
  ])("with %s", async (_, change) => {
    const stream = [chunk({ role: "assistant", content: "" }), chunk({ content: "Zwei — 二." }), stop, usage({}), done];
    upstream.script = sending(change(stream.join("")));
    const { text, error } = await readModelStream(["m"]);
    expect([text, error]).toEqual(["Zwei — 二.", null]);
  });

  it("means the same wherever the network cuts its bytes", async () => {
    const stream = chunk({ content: "Zwei — 二." }) + tool(0, { id: "c", function: { name: "t", arguments: "{}" } });
    const bytes = Buffer.from(stream + chunk({}, { finish_reason: "tool_calls" }) + done);
    const step = process.env.SWITCHBOARD_FULL ? 1 : 23;
    for (let at = 1; at < bytes.length; at += step) {
      upstream.script = sending(bytes.subarray(0, at), bytes.subarray(at));
      const { text, parts, error } = await readModelStream(["m"]);
      const calls = parts.filter(({ type }) => type === "tool-call").length;
      expect([at, text, calls, error]).toEqual([at, "Zwei — 二.", 1, null]);
    }
  }, 120_000);
});

describe("a refusal", () => {
  const leak = "key sk-secret, organization org-9f2, https://internal.example/v1";
  it.each([
    [429, "Rate limit reached", { "retry-after": "7" }, "model_overloaded", { "Retry-After": "7" }],
    [429, "Rate limit reached", { "retry-after-ms": "1200" }, "model_overloaded", { "Retry-After": "2" }],
    [
      429,
      "You exceeded your current quota",
      { "retry-after": "99999999" },
      "model_overloaded",
      { "Retry-After": "3600" },
    ],
    [429, "Rate limit reached", { "retry-after": "soon" }, "model_overloaded", {}],
    [529, "Overloaded", {}, "model_overloaded", {}],
    [500, "The server had an error", {}, "unavailable", {}],
    [503, "Loading model", { "retry-after": "20" }, "unavailable", { "Retry-After": "20" }],
    [504, "Gateway timeout", {}, "timeout", {}],
    [400, "This model's maximum context length is 8192 tokens. Reduce the length", {}, "context_length_exceeded", {}],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", {}, "context_length_exceeded", {}],
    [413, "Request too large: too many tokens", {}, "context_length_exceeded", {}],
    [400, "Unknown parameter", {}, "model_error", {}],
    [401, "Incorrect API key provided", {}, "model_error", {}],
    [404, "The model does not exist", {}, "model_error", {}],
  ])("%i %s %j is %s", async (status, message, headers, code, told) => {
    upstream.script = errorResponse(status, `${message} (${leak})`, headers as Record<string, string>);
    const { error } = await readModelStream(["m"]);
    expect(describeError(error).code).toBe(code);
    expect(error).toMatchObject({ headers: told });
    expect(describeError(error).text).not.toMatch(/sk-secret|org-9f2|internal/);
  });

  it("that is a page instead of JSON", async () => {
    upstream.script = async (response) => void response.writeHead(502).end("<html>Bad gateway</html>");
    expect(describeError((await readModelStream(["m"])).error).code).toBe("unavailable");
  });

  it("of the connection", async () => {
    vi.stubEnv("MODEL_BASE_URL", "http://127.0.0.1:1/v1");
    const { error } = await readModelStream(["m"]);
    expect(describeError(error)).toEqual({
      code: "unavailable",
      text: "The language model cannot be reached at the moment. {}",
    });
  });
});

describe("a stream that breaks", () => {
  const said = chunk({ content: "Two" });
  it.each<[string, (response: ServerResponse) => Promise<void>, string]>([
    ["is cut", async (response: ServerResponse) => void response.destroy(), "unavailable"],
    ["ends without a reason", async (response: ServerResponse) => void response.end(), "model_error"],
    ["is not JSON", async (response: ServerResponse) => void response.end("data: {oops\n\n"), "model_error"],
    [
      "reports an error",
      async (response: ServerResponse) => void response.end(data({ error: { message: "sk-secret", code: 500 } })),
      "unavailable",
    ],
    [
      "reports a limit",
      async (response: ServerResponse) =>
        void response.end(data({ error: { message: "sk-secret", type: "rate_limit_exceeded" } })),
      "model_overloaded",
    ],
  ])("because it %s keeps what was said, and asks nobody else", async (_, end, code) => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(said);
      await sleep(20);
      await end(response);
    };
    const { text, error } = await readModelStream(["m", "other"]);
    expect([text, describeError(error).code]).toEqual(["Two", code]);
    expect(describeError(error).text).not.toContain("sk-secret");
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("the log of an answer that could not be read", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["no JSON", 'data: {"choices": "purple"\n\n'],
    ["JSON of another shape", data({ choices: "purple" })],
  ])("because it is %s has none of its words", async (_, piece) => {
    upstream.script = sending(chunk({ role: "assistant", content: "Two" }), piece);
    const { error } = await readModelStream(["m"]);
    const written = vi.spyOn(console, "warn").mockImplementation(() => {});
    log.warn("run failed", { error });
    const [line] = written.mock.calls.flat();
    expect(line).toMatch(/could not be read.*(JSONParse|TypeValidation)/);
    expect(line).not.toContain("purple");
  });
});

describe("the other model", () => {
  const standsIn: Script = async (response, request) => {
    if (request.body.model === "other")
      return sending(chunk({ content: "I stand in." }), stop, done)(response, request);
    return failure(response, request);
  };
  let failure: Script;

  it.each<[string, Script]>([
    ["refuses", errorResponse(429, "wait", { "retry-after": "9" })],
    ["is cut before it says a word", cut],
    ["says nothing and ends", sending(chunk({ role: "assistant", content: "" }), stop, done)],
    ["begins with an error", sending(data({ error: { message: "no", code: 500 } }))],
    ["talks nonsense", sending("data: hello\n\n")],
  ])("answers when the first %s", async (_, script) => {
    failure = script;
    upstream.script = standsIn;
    const { text, opened, error } = await readModelStream(["m", "other"]);
    expect([text, error]).toEqual(["I stand in.", null]);
    expect(opened).toMatchObject({ modelId: "other", fellBack: true });
  });

  it("fails too: the first one's failure is told", async () => {
    upstream.script = async (response, request) =>
      errorResponse(request.body.model === "m" ? 429 : 500, "no")(response, request);
    expect(describeError((await readModelStream(["m", "other"])).error).code).toBe("model_overloaded");
    expect(upstream.requests).toHaveLength(2);
  });
});

describe("patience", () => {
  const limits: StreamLimits = { firstToken: 250, silence: 250 };
  const closed = (response: ServerResponse) => new Promise<void>((resolve) => response.once("close", resolve));

  it("ends before the first piece: the connection is closed, the other model asked", async () => {
    let ended: Promise<void> = Promise.resolve();
    upstream.script = async (response, request) => {
      if (request.body.model === "other") {
        return sending(chunk({ content: "I stand in." }), stop, done)(response, request);
      }
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "" }));
      ended = closed(response);
      await ended;
    };
    expect((await readModelStream(["m", "other"], {}, limits)).text).toBe("I stand in.");
    await ended;
  });

  it("ends while the upstream does not even send headers", async () => {
    upstream.script = async (response) => closed(response);
    expect(describeError((await readModelStream(["m"], {}, limits)).error).code).toBe("timeout");
  });

  it("ends for who wants a whole answer, for all models together, with what to do instead", async () => {
    const silence = Promise.withResolvers<void>();
    upstream.script = () => silence.promise;
    await expect(askWhole(["m", "other"], callOptions, 200)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("`stream`"),
      headers: { "x-should-retry": "false" },
    });
    silence.resolve();
    expect(upstream.requests).toHaveLength(1);
  });

  it("ends in the midst of an answer that falls silent", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ content: "Two" }));
      await closed(response);
    };
    const { text, error } = await readModelStream(["m"], {}, limits);
    expect([text, describeError(error).code]).toEqual(["Two", "timeout"]);
  });

  it("lasts as long as pieces keep coming, and while the caller is busy", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      for (let count = 0; count < 20; count++) {
        response.write(chunk({ content: "." }));
        await sleep(80);
      }
      response.end(stop + done);
    };
    const opened = await openModels(["m"], callOptions, { firstToken: 1_000, silence: 1_000 });
    await sleep(1_200);
    let text = "";
    for await (const part of opened.stream) if (part.type === "text-delta") text += part.delta;
    expect(text).toBe(".".repeat(20));
  });

  it("is not asked for when the caller ends it: nobody else is asked, the reason is the caller's", async () => {
    const reason = new Error("stopped");
    for (const speaks of [false, true]) {
      upstream.requests.length = 0;
      const controller = new AbortController();
      let ended: Promise<void> = Promise.resolve();
      upstream.script = async (response) => {
        startEventStream(response);
        if (speaks) response.write(chunk({ content: "Two" }));
        ended = closed(response);
        setTimeout(() => controller.abort(reason), 50);
        await ended;
      };
      const { error } = await readModelStream(["m", "other"], { abortSignal: controller.signal });
      expect(error).toBe(reason);
      expect(upstream.requests).toHaveLength(1);
      await ended;
    }
  });

  it("ends at once for a caller that has ended already", async () => {
    const { error } = await readModelStream(["m"], { abortSignal: AbortSignal.abort(new Error("gone")) });
    expect(error).toMatchObject({ message: "gone" });
    expect(upstream.requests).toHaveLength(0);
  });

  it("closes the connection when the caller stops reading", async () => {
    let ended: Promise<void> = Promise.resolve();
    upstream.script = async (response) => {
      startEventStream(response);
      ended = closed(response);
      while (!response.destroyed) {
        response.write(chunk({ content: "and " }));
        await sleep(5);
      }
    };
    const { stream } = await openModels(["m"], callOptions);
    for await (const part of stream) if (part.type === "text-delta") break;
    await ended;
  });
});
