import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { ChatCompletionRequest } from "#shared/api/openai/openai.ts";
import { requestCompletion } from "#shared/models/open-completion.ts";
import { toCallOptions } from "#shared/openai/call-options.ts";
import { messageToChatRequest } from "#shared/openai/messages/message-to-chat-request.ts";
import { toProviderBody } from "#shared/openai/provider-body.ts";
import { jsonResponse, startUpstream, type Upstream } from "#test/support/models/upstream.ts";

const claude = "eu.anthropic.claude-haiku-4-5-20251001-v1:0";
const llama = "meta.llama3-1-8b-instruct-v1:0";

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

const converse = {
  output: { message: { role: "assistant", content: [{ text: "Yes." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 2, outputTokens: 1, totalTokens: 103, cacheReadInputTokens: 60, cacheWriteInputTokens: 40 },
};

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.script = jsonResponse(converse);
  const settings = {
    MODELS: "",
    MODEL_FALLBACK: "",
    MODEL_PROVIDER: "bedrock",
    MODEL_BASE_URL: "",
    MODEL_API_KEY: "",
    MODEL_FIRST_TOKEN_TIMEOUT_SECONDS: "2",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: upstream.baseUrl,
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

type Messages = ChatCompletionRequest["messages"];

/** Returns what Bedrock receives for messages, and the usage that it reports. */
async function converseWith(messages: unknown, instructions = "", model = claude) {
  const tools = [{ type: "function", function: { name: "look" } }];
  const request = { model: "helper", messages: messages as Messages, tools } as ChatCompletionRequest;
  const { result } = await requestCompletion([model], {
    toBody: (traits) => toProviderBody(request, instructions, traits),
    toOptions: (traits) => toCallOptions(request, instructions, traits),
  });
  const { system, messages: received } = upstream.requests.at(-1)?.body ?? {};
  return { system, messages: received, usage: result.usage };
}

it("prompt for Bedrock has later system messages as messages of the user, and starts with the user", async () => {
  const { system, messages } = await converseWith(
    [
      { role: "developer", content: "Be brief." },
      { role: "assistant", content: "Hello!" },
      { role: "user", content: "Hi" },
      { role: "system", content: "It is late." },
    ],
    "You are Ada.",
  );
  expect(system).toEqual([{ text: "You are Ada." }, { text: "Be brief." }]);
  expect(messages).toEqual([
    { role: "user", content: [{ text: "(empty)" }] },
    { role: "assistant", content: [{ text: "Hello!" }] },
    { role: "user", content: [{ text: "Hi" }, { text: "It is late." }] },
  ]);
});

it("prompt for Bedrock ends with the last system message as one of the user if there are no others", async () => {
  const { system, messages } = await converseWith([
    { role: "system", content: "Be brief." },
    { role: "system", content: "Greet me." },
  ]);
  expect(system).toEqual([{ text: "Be brief." }]);
  expect(messages).toEqual([{ role: "user", content: [{ text: "Greet me." }] }]);
});

it("prompt for Bedrock has no blank texts, which it refuses", async () => {
  const { system, messages } = await converseWith([
    { role: "system", content: " " },
    { role: "user", content: "" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call1", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call1", content: "\n" },
    {
      role: "user",
      content: [
        { type: "text", text: "" },
        { type: "text", text: "Continue" },
      ],
    },
  ]);
  expect(system).toEqual([]);
  expect(JSON.stringify(messages)).not.toMatch(/"text":"\s*"/);
  expect(messages[0].content).toEqual([{ text: "(empty)" }]);
  expect(messages.at(-1).content.at(-1)).toEqual({ text: "Continue" });
});

it("request to an OpenAI-compatible provider has no empty texts next to an image, which gateways to Claude refuse", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } } as const;
  const empty = { type: "text", text: "" } as const;
  const contentFor = (content: Messages[number]["content"]) => {
    const messages = [{ role: "user", content }] as Messages;
    return (toProviderBody({ model: "helper", messages, stream: false }, "").messages as Messages)[0]?.content;
  };
  expect(contentFor([empty, image])).toEqual([image]);
  expect(contentFor([empty])).toBe("");
  expect(contentFor([])).toBe("");
  expect(contentFor("")).toBe("");
});

const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };

const marked = messageToChatRequest({
  model: "helper",
  max_tokens: 100,
  stream: false,
  system: [
    { type: "text", text: "Rules", ...mark },
    { type: "text", text: "Today" },
  ],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "A long document", ...mark },
        { type: "text", text: "Look it up" },
      ],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "call1", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call1", content: "Found", ...mark }] },
  ],
});

it("request of the messages API lets the cache of Bedrock end where its client says, and reports what was written to it", async () => {
  const { system, messages, usage } = await converseWith(marked.messages);
  const cachePoint = { cachePoint: { type: "default" } };
  expect(system).toEqual([{ text: "Rules" }, cachePoint, { text: "Today" }]);
  expect(messages[0].content).toEqual([{ text: "A long document" }, cachePoint, { text: "Look it up" }]);
  expect(messages.at(-1).content.at(-1)).toEqual(cachePoint);
  expect(usage?.prompt_tokens_details).toEqual({ cached_tokens: 60, cache_write_tokens: 40 });
});

it("request of the messages API has no cache points for a model that refuses them", async () => {
  const { system, messages } = await converseWith(marked.messages, "", llama);
  expect(JSON.stringify([system, messages])).not.toMatch(/cache/i);
});

it("request of the messages API has cache_control for gateways to Claude only, and plain texts for others", () => {
  const bodyFor = (hasCachePoints: boolean) => JSON.stringify(toProviderBody(marked, "", { hasCachePoints }).messages);
  const control = '"cache_control":{"type":"ephemeral"}';
  expect(bodyFor(true).split(control)).toHaveLength(4);
  expect(bodyFor(true)).not.toContain("cache_point");
  expect(JSON.parse(bodyFor(false))).toEqual([
    { role: "system", content: "Rules\n\nToday" },
    { role: "user", content: "A long document\n\nLook it up" },
    expect.objectContaining({ role: "assistant" }),
    { role: "tool", tool_call_id: "call1", content: "Found" },
  ]);
});

it("request of the messages API with cache_control of its own lets the cache end after its last message", () => {
  const messages = [{ role: "user" as const, content: "Hi" }];
  const whole = messageToChatRequest({ model: "helper", max_tokens: 100, stream: false, messages, ...mark });
  const [message] = toProviderBody(whole, "", { hasCachePoints: true }).messages as readonly unknown[];
  const part = { type: "text", text: "Hi", cache_control: { type: "ephemeral" } };
  expect(message).toEqual({ role: "user", content: [part] });
  expect(toProviderBody(whole, "").messages).toEqual(messages);
});
