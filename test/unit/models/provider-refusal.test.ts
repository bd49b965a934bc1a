import { beforeEach, expect, it, vi } from "vitest";
import { toRefusal } from "#shared/models/provider-refusal.ts";

beforeEach(() => {
  const settings = {
    STAGE: "test",
    MODELS: "",
    MODEL_PROVIDER: "openai-compatible",
    MODEL_BASE_URL: "",
    MODEL_API_KEY: "",
    LOG_LEVEL: "error",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  return () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  };
});

const failedResponse = (statusCode: number, body: unknown) =>
  Object.assign(new Error("failed"), { statusCode, responseBody: JSON.stringify(body) });

const openaiBody = (message: string, fields: Record<string, unknown> = {}) => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...fields },
});

const fieldsOf = (error: unknown) => {
  const { code, status, message, fields } = toRefusal(error) as ReturnType<typeof toRefusal> & { fields?: unknown };
  return { code, status, message, fields };
};

it.each([
  [401, "invalid_api_key"],
  [402, "billing"],
  [403, "no access"],
])(
  "refused credential of the service with status %i has a status after which no client tries again",
  (status, code) => {
    const { fields, ...rest } = fieldsOf(
      failedResponse(status, openaiBody("Incorrect key sk-secret-1234567.", { code })),
    );
    expect(rest).toMatchObject({ status: 424, message: expect.not.stringContaining("sk-secret") });
    expect(fields).toMatchObject({ code: "provider_credential_rejected" });
  },
);

it("refusal for too many requests has the text of the provider", () => {
  const body = openaiBody("Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.", {
    code: "rate_limit_exceeded",
  });
  const { status, message } = fieldsOf(failedResponse(429, body));
  expect([status, message]).toEqual([429, "Rate limit reached for requests. Limit: 3 / min. Please try again in 20s."]);
});

const tokens = "However, you requested 9000 tokens.";
it.each<[provider: string, status: number, body: unknown, message: string]>([
  ["OpenAI", 400, openaiBody("Too long.", { param: "messages", code: "context_length_exceeded" }), "Too long."],
  ["Azure", 400, openaiBody(`This model's maximum context length is 8192 tokens. ${tokens}`), "maximum context length"],
  ["Groq", 400, openaiBody("Please reduce the length of the messages or completion.", { param: "messages" }), "reduce"],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 4 tokens, too large for model with 3 maximum context length",
      type: "invalid_request_error",
      param: null,
      code: "3051",
    },
    "Prompt contains",
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message: `This model's maximum context length is 4096 tokens. ${tokens}`,
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    "maximum context length",
  ],
  [
    "vLLM with a parameter",
    400,
    {
      error: {
        message: "This model's maximum context length is 4 tokens.",
        type: "BadRequestError",
        param: "input_tokens",
        code: 400,
      },
    },
    "maximum",
  ],
  [
    "Together",
    422,
    openaiBody("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193."),
    "inputs",
  ],
  ["Ollama", 400, { error: "input length exceeds the context length" }, "exceeds the context length"],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "request (9 tokens) exceeds the available context size (8 tokens)",
        type: "exceed_context_size_error",
      },
    },
    "exceeds the available context size",
  ],
  [
    "llama.cpp with status 500",
    500,
    { error: { code: 500, message: "too big", type: "exceed_context_size_error" } },
    "too big",
  ],
  [
    "LM Studio",
    400,
    { error: "The model is loaded with context length of only 4096 tokens, which is not enough." },
    "of only 4096 tokens",
  ],
  [
    "OpenRouter",
    400,
    { error: { message: "This endpoint's maximum context length is 32768 tokens.", code: 400 } },
    "endpoint's",
  ],
  [
    "a provider behind OpenRouter",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3 tokens > 2 maximum"}}',
        },
      },
    },
    "prompt is too long",
  ],
  [
    "DeepSeek",
    400,
    openaiBody(`This model's maximum context length is 65536 tokens. ${tokens}`, { code: "invalid_request_error" }),
    "maximum context length",
  ],
  ["Bedrock", 400, { message: "Input is too long for requested model." }, "Input is too long"],
  [
    "Anthropic",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "input length and `max_tokens` exceed context limit: 3 > 2" },
    },
    "exceed context limit",
  ],
  [
    "Gemini",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (3) exceeds the maximum number of tokens allowed (2).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    "input token count",
  ],
  [
    "xAI",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 4 but the request contains 5 tokens.",
    },
    "maximum prompt length",
  ],
  [
    "GitHub",
    413,
    { error: { code: "tokens_limit_reached", message: "Request body too large. Max size: 8000 tokens." } },
    "Max size",
  ],
  [
    "FastAPI",
    422,
    { detail: [{ loc: ["body"], msg: "prompt is too long", type: "value_error" }] },
    "prompt is too long",
  ],
])(
  "context overflow that a provider reports has the code context_length_exceeded and the provider's own message: %s",
  (_, status, body, message) => {
    expect(fieldsOf(failedResponse(status, body))).toMatchObject({
      code: "context_length_exceeded",
      status: 400,
      message: expect.stringContaining(message),
      fields: { type: "invalid_request_error", code: "context_length_exceeded" },
    });
  },
);

it("context overflow that a provider reports is recognized inside a stream, where the error has no status", () => {
  const message = "This model's maximum context length is 8 tokens.";
  expect(fieldsOf({ message, type: "BadRequestError", code: 400 })).toMatchObject({ status: 400, message });
  expect(fieldsOf({ message: "x", code: "context_length_exceeded" })).toMatchObject({ status: 400, message: "x" });
});

it.each<[about: string, status: number, body: unknown, fields: Record<string, unknown>]>([
  [
    "max_tokens with a parameter",
    400,
    openaiBody("max_tokens is too large. This model's maximum context length is 4 tokens.", {
      param: "max_tokens",
      code: "invalid_value",
    }),
    { param: "max_tokens", code: "invalid_value" },
  ],
  [
    "max_tokens",
    400,
    openaiBody("max_tokens (50000) exceeds the model's context length of 8192 tokens"),
    { param: null, code: null },
  ],
  [
    "max_tokens of vLLM",
    400,
    openaiBody(
      "'max_tokens' or 'max_completion_tokens' is too large: 5. This model's maximum context length is 4 tokens",
    ),
    { code: null },
  ],
  ["images", 400, openaiBody("The maximum number of images is 16."), { code: null }],
  [
    "a tool's name",
    400,
    openaiBody("Invalid schema for function 'set_context_size'", {
      param: "tools[0]",
      code: "invalid_function_parameters",
    }),
    { param: "tools[0]", code: "invalid_function_parameters" },
  ],
  ["a tool's name without a code", 400, openaiBody("Tool context_length_exceeded has no parameters"), { code: null }],
  [
    "a long string",
    400,
    openaiBody("string too long: reduce the length of the input", { param: "user", code: "string_above_max_length" }),
    { param: "user", code: "string_above_max_length" },
  ],
  [
    "the rate of tokens",
    413,
    openaiBody("Request too large on tokens per minute, reduce the length of your prompt", {
      type: "tokens",
      code: "rate_limit_exceeded",
    }),
    { type: "tokens", code: "rate_limit_exceeded" },
  ],
])(
  "provider's error about something other than the length of the prompt keeps the provider's status, code, parameter and message: %s",
  (_, status, body, fields) => {
    const { error } = body as { error: { message: string } };
    expect(fieldsOf(failedResponse(status, body))).toMatchObject({
      code: "model_error",
      status,
      message: error.message,
      fields,
    });
  },
);

it.each<[status: number, message: RegExp]>([
  [204, /sent no answer \(status 204\)/],
  [302, /redirect \(status 302\)/],
  [500, /provider failed \(status 500\)/],
])(
  "provider's response that contains no answer leads to an error whose message names the status %i",
  (statusCode, message) => {
    const error = Object.assign(new Error("failed"), { name: "HttpFailure", statusCode, responseBody: "" });
    expect(toRefusal(error).message).toMatch(message);
  },
);
