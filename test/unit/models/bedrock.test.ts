import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { event, exception, textCompletionFrames, toolCallFrames } from "#test/support/models/bedrock-frames.ts";
import { describeError, readModelStream } from "#test/support/models/model-stream.ts";
import { type Script, startUpstream, type Upstream } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";

const model = "eu.anthropic.claude-haiku-4-5-20251001-v1:0";
const secret = "arn:aws:sts::123456789012:assumed-role/prod AKIAIOSFODNN7EXAMPLE";

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
    MODEL_PROVIDER: "bedrock",
    MODEL_BASE_URL: "",
    MODEL_API_KEY: "",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token",
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: upstream.baseUrl,
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const streamFrames =
  (chunks: readonly Buffer[], { cut = false } = {}): Script =>
  async (response) => {
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "r-1" });
    for (const chunk of chunks) {
      response.write(chunk);
      await new Promise(setImmediate);
    }
    if (cut) response.destroy();
    else response.end();
  };

const respondWithError =
  (status: number, type: string, message: string, headers: Record<string, string> = {}): Script =>
  async (response) => {
    response.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type, ...headers });
    response.end(JSON.stringify({ message }));
  };

it("answer stream of Bedrock yields reasoning, text and the number of cached tokens", async () => {
  upstream.script = streamFrames(textCompletionFrames("Three ", "tents — ", "left."));
  const { text, reasoning, parts, opened, error } = await readModelStream([model]);
  expect(error).toBeNull();
  expect([text, reasoning]).toEqual(["Three tents — left.", "Let me think."]);
  expect(opened).toMatchObject({ modelId: model, fellBack: false });
  expect(parts.at(-1)).toMatchObject({
    type: "finish",
    finishReason: { unified: "stop" },
    usage: {
      inputTokens: { total: 120, noCache: 20, cacheRead: 90, cacheWrite: 10 },
      outputTokens: { total: 7 },
    },
  });
});

it("answer stream of Bedrock is requested at the model's path with an AWS signature, the instructions and the tools", async () => {
  upstream.script = streamFrames(textCompletionFrames("Yes."));
  await readModelStream([model]);
  const [request] = upstream.requests;
  expect(request?.path).toBe(`/v1/model/${encodeURIComponent(model)}/converse-stream`);
  expect(request?.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request/,
  );
  expect(request?.body).toMatchObject({
    system: [{ text: "Be brief." }],
    toolConfig: { tools: [{ toolSpec: { name: "search_knowledge" } }, { toolSpec: { name: "current_time" } }] },
  });
});

it("answer stream of Bedrock is requested with a configured API key and base URL instead of AWS credentials", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:1");
  vi.stubEnv("MODEL_BASE_URL", upstream.baseUrl);
  vi.stubEnv("MODEL_API_KEY", "bedrock-key");
  upstream.script = streamFrames(textCompletionFrames("Yes."));
  expect((await readModelStream([model])).text).toBe("Yes.");
  expect(upstream.requests[0]?.authorization).toBe("Bearer bedrock-key");
});

it("answer stream of Bedrock yields several tool calls of one completion", async () => {
  upstream.script = streamFrames(toolCallFrames());
  const { parts, error } = await readModelStream([model]);
  expect(error).toBeNull();
  expect(parts.filter(({ type }) => type === "tool-call")).toMatchObject([
    { toolCallId: "tooluse_1", toolName: "search_knowledge", input: '{"query":"tents"}' },
    { toolCallId: "tooluse_2", toolName: "current_time", input: "{}" },
  ]);
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls" } });
});

it("answer stream of Bedrock yields the same text wherever network chunks are split", async () => {
  const bytes = Buffer.concat(textCompletionFrames("Drei Zelte — übrig."));
  const step = sized({ usual: 37, full: 1 });
  for (let at = 1; at < bytes.length; at += step) {
    upstream.script = streamFrames([bytes.subarray(0, at), bytes.subarray(at)]);
    const { text, error } = await readModelStream([model]);
    expect([at, text, error]).toEqual([at, "Drei Zelte — übrig.", null]);
  }
});

it.each([
  [429, "ThrottlingException", "Too many requests, please wait before trying again.", "model_overloaded"],
  [400, "ServiceQuotaExceededException", "Your account's daily quota of tokens is used up", "model_overloaded"],
  [400, "ValidationException", "Input is too long for requested model.", "context_length_exceeded"],
  [400, "ValidationException", "The provided model identifier is invalid.", "model_error"],
  [403, "AccessDeniedException", "You don't have access to the model with the specified model ID.", "model_error"],
  [404, "ResourceNotFoundException", "Could not resolve the foundation model", "model_error"],
  [408, "ModelTimeoutException", "Model has timed out in processing the request.", "timeout"],
  [424, "ModelErrorException", "The system encountered an unexpected error during processing.", "model_error"],
  [500, "InternalServerException", "The system encountered an unexpected error", "unavailable"],
  [503, "ServiceUnavailableException", "Bedrock is unable to process your request.", "unavailable"],
])(
  'failure of Bedrock is classified by status, type and message: %i, %s, "%s" becomes %s',
  async (status, type, message, code) => {
    upstream.script = respondWithError(status, type, `${message} ${secret}`);
    const { error } = await readModelStream([model]);
    expect(describeError(error).code).toBe(code);
    expect(describeError(error).text).not.toMatch(/arn:|AKIA|123456789012/);
  },
);

it.each([
  ["throttlingException", "model_overloaded"],
  ["validationException", "model_error"],
  ["modelStreamErrorException", "model_error"],
  ["internalServerException", "unavailable"],
  ["serviceUnavailableException", "unavailable"],
])(
  "failure of Bedrock keeps the text that was streamed before: exception %s becomes the error code %s",
  async (type, code) => {
    upstream.script = streamFrames([
      ...textCompletionFrames("Three ").slice(0, 5),
      exception(type, `Sorry. ${secret}`),
    ]);
    const { text, error } = await readModelStream([model, "other"]);
    expect(text).toBe("Three ");
    expect(describeError(error).code).toBe(code);
    expect(describeError(error).text).not.toMatch(/arn:|AKIA|Sorry/);
    expect(upstream.requests).toHaveLength(1);
  },
);

it("failure of Bedrock has the error code unavailable when the stream ends early", async () => {
  const frames = textCompletionFrames("Three ", "tents");
  for (const script of [
    streamFrames(frames.slice(0, 5), { cut: true }),
    streamFrames(frames.slice(0, 5)),
    streamFrames([...frames.slice(0, 5), (frames[5] as Buffer).subarray(0, 20)]),
  ]) {
    upstream.script = script;
    const { text, error } = await readModelStream([model]);
    expect([text, describeError(error).code]).toEqual(["Three ", "unavailable"]);
  }
});

it("failure of Bedrock has the error code model_error when a frame has a wrong checksum", async () => {
  const broken = Buffer.from(event("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "tents" } }));
  broken[broken.length - 8] = 0x21;
  upstream.script = streamFrames([...textCompletionFrames("Three ").slice(0, 5), broken]);
  const { text, error } = await readModelStream([model]);
  expect([text, describeError(error).code]).toEqual(["Three ", "model_error"]);
});

it("failure of Bedrock makes the fallback model answer when it occurs before the first token", async () => {
  upstream.script = async (response, request) =>
    request.path.includes("nova")
      ? streamFrames(textCompletionFrames("Fallback answer."))(response, request)
      : streamFrames([event("messageStart", { role: "assistant" }), exception("throttlingException", "wait")])(
          response,
          request,
        );
  const { text, opened, error } = await readModelStream([model, "eu.amazon.nova-lite-v1:0"]);
  expect(error).toBeNull();
  expect(text).toBe("Fallback answer.");
  expect(opened).toMatchObject({ modelId: "eu.amazon.nova-lite-v1:0", fellBack: true });
});
