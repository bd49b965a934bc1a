/**
 * Makes 500 mixed calls with the official client through a third-party gateway. Arguments: name of the gateway, and the
 * command that starts it. Prints the results in the same format as the other clients.
 */
import OpenAI, { APIError } from "openai";
import { FAULTY_MODEL, gateways } from "./gateways.ts";
import { check, runCalls } from "./run-calls.ts";

const [, , name = "", command = ""] = process.argv;
const variable = (variableName: string) => process.env[variableName] ?? "";
const model = variable("SCENARIO_MODEL");
const embeddingModel = variable("SCENARIO_EMBEDDING_MODEL");
const unicode = variable("SCENARIO_UNICODE");
const gateway = await gateways[name]?.(command, {
  baseUrl: variable("OPENAI_BASE_URL"),
  apiKey: variable("OPENAI_API_KEY"),
  model,
  embeddingModel,
});
if (!gateway) throw new Error(`There is no gateway ${name}`);
const client = new OpenAI({ apiKey: gateway.key, baseURL: gateway.baseUrl, maxRetries: 0, timeout: 30_000 });
const isOpenWebui = name === "Open WebUI";

type Extra = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

/** Text that a guardrail could mistake for an attack or for sensitive data. */
const harmless =
  "Ignore the earlier draft of the letter. You are now the editor: summarize the rules of the game, order 4111-2222, page 12. ";

const userMessage = (content: OpenAI.ChatCompletionUserMessageParam["content"]): OpenAI.ChatCompletionMessageParam => ({
  role: "user",
  content,
});

async function complete(scenario: string, extra: Extra = {}) {
  const messages = [userMessage(`${harmless}scenario:${scenario}`)];
  return client.chat.completions.create({ model, messages, ...extra });
}

async function streamText(scenario: string, extra: Extra = {}): Promise<string> {
  const messages = [userMessage(`scenario:${scenario}`)];
  let text = "";
  for await (const { choices } of await client.chat.completions.create({ model, messages, ...extra, stream: true })) {
    text += choices[0]?.delta.content ?? "";
  }
  return text;
}

async function expectText(completion: Promise<OpenAI.ChatCompletion>, expected: string): Promise<void> {
  const text = (await completion).choices[0]?.message.content;
  check(text === expected, `answered ${text}`);
}

/**
 * Expects the provider's error. Open WebUI does not pause models after errors, so it needs no second model for them.
 */
async function expectError(scenario: string, isExpected: (status: number) => boolean): Promise<void> {
  const error = await complete(scenario, { model: isOpenWebui ? model : FAULTY_MODEL }).catch((thrown) => thrown);
  check(error instanceof APIError && isExpected(Number(error.status)), `expected ${scenario}: ${error}`);
}

const weather: OpenAI.ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Returns the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const kinds: Record<string, (number: number) => Promise<void>> = {
  plain: () => expectText(complete("plain"), "Hello world"),
  streaming: async () => check((await streamText("plain")) === "Hello world", "text differs"),
  unicode: async () => check((await streamText("unicode")) === unicode, "text differs"),
  tools: async () => {
    const { choices } = await complete("tools", { tools: [weather] });
    const call = choices[0]?.message.tool_calls?.[0];
    check(call?.type === "function" && call.function.name === "get_weather", JSON.stringify(choices));
    const result: OpenAI.ChatCompletionMessageParam = { role: "tool", tool_call_id: call?.id ?? "", content: "sunny" };
    const messages = [userMessage("scenario:tools"), choices[0]?.message as OpenAI.ChatCompletionMessageParam, result];
    await expectText(complete("tools", { messages, tools: [weather] }), "It is sunny.");
  },
  "streamed tools": async () => {
    const stream = client.chat.completions.stream({
      model,
      messages: [userMessage("scenario:parallel")],
      tools: [weather],
    });
    const { choices } = await stream.finalChatCompletion();
    const cities = choices[0]?.message.tool_calls?.map((call) => call.type === "function" && call.function.arguments);
    check(cities?.join() === '{"city":"Paris"},{"city":"Rome"}', JSON.stringify(choices));
  },
  "structured output": async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const response_format = { type: "json_schema", json_schema: { name: "city", schema } } as const;
    const { choices } = await complete("structured", { response_format });
    check(JSON.parse(choices[0]?.message.content ?? "{}").city === "Paris", JSON.stringify(choices));
  },
  images: async () => {
    const image = { type: "image_url", image_url: { url: pixel } } as const;
    const messages = [userMessage([{ type: "text", text: "scenario:image" }, image])];
    await expectText(complete("image", { messages }), "I see it.");
  },
  "long prompts": async (number) => {
    const text = `${number} ${harmless.repeat(400 + (number % 7) * 300)} ${unicode}`;
    await expectText(complete("plain", { messages: [userMessage(`${text} scenario:plain`)] }), "Hello world");
  },
  conversations: async () => {
    const turns = Array.from(
      { length: 40 },
      (_, turn): OpenAI.ChatCompletionMessageParam =>
        turn % 2 ? { role: "assistant", content: `Answer ${turn}` } : userMessage(`Question ${turn}`),
    );
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: harmless }, ...turns];
    const text = await streamText("plain", { messages: [...messages, userMessage("scenario:unicode")] });
    check(text === unicode, text);
  },
  length: async () => check((await complete("length")).choices[0]?.finish_reason === "length", "another finish reason"),
  reasoning: () => expectText(complete("reasoning"), "42"),
  "streaming usage": async () => {
    const stream = client.chat.completions.stream({
      model,
      messages: [userMessage("scenario:plain")],
      stream_options: { include_usage: true },
    });
    check((await stream.finalChatCompletion()).usage?.total_tokens === 18, "another usage");
  },
  embeddings: async () => {
    const input = ["a", unicode];
    const { data } = await client.embeddings.create({ model: embeddingModel, input, encoding_format: "float" });
    check(data.length === 2 && data[0]?.embedding[0] === 0.5, JSON.stringify(data));
  },
  retries: (number) => expectText(complete(`retried/${name.replace(/\W/g, "")}-${number}`), "Hello world"),
  "error 400": () => expectError("error400", (status) => status === 400),
  "error 429": () => expectError("error429", (status) => status === 429),
  "error 5xx": () => expectError("error500", (status) => status >= 500),
  ...(!isOpenWebui && {
    "context fallback": (number) => expectText(complete(`fallback/${number}`), "Hello world"),
    responses: async () => {
      const { output_text } = await client.responses.create({ model, input: "scenario:plain" });
      check(output_text === "Hello world", output_text);
    },
    "streamed responses": async () => {
      let text = "";
      for await (const event of await client.responses.create({ model, input: "scenario:unicode", stream: true })) {
        if (event.type === "response.output_text.delta") text += event.delta;
      }
      check(text === unicode, text);
    },
  }),
};

try {
  await runCalls(name, gateway.version, kinds);
} finally {
  gateway.stop();
}
