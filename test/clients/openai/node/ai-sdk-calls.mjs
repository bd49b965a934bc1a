/** Makes 500 mixed calls with the AI SDK. */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, embedMany, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { check, runCalls } from "./run-calls.ts";

const {
  OPENAI_BASE_URL: baseURL,
  OPENAI_API_KEY: apiKey,
  SCENARIO_MODEL: modelId,
  SCENARIO_EMBEDDING_MODEL: embeddingModel,
  SCENARIO_UNICODE: unicode,
} = process.env;
const openai = createOpenAI({ baseURL, apiKey });
/** Default model of the OpenAI provider, which uses the responses API, and two models that use chat completions. */
const models = [
  openai(modelId),
  openai.chat(modelId),
  createOpenAICompatible({ name: "switchboard", baseURL, apiKey, supportsStructuredOutputs: true })(modelId),
];
const modelOf = (number) => models[number % models.length];
const weather = {
  get_weather: tool({
    description: "Returns the weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async () => "sunny",
  }),
};
const schema = z.object({ city: z.string(), population: z.number() });
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function expectText(options, expected) {
  const { text } = await generateText({ maxRetries: 0, ...options });
  check(text === expected, `answered ${text}`);
}

async function expectStream(options, expected) {
  const text = (await Array.fromAsync(streamText({ maxRetries: 0, ...options }).textStream)).join("");
  check(text === expected, `answered ${text}`);
}

async function expectError(number, scenario, isExpected) {
  const prompt = `scenario:${scenario}`;
  const error = await generateText({ model: modelOf(number), prompt, maxRetries: 0 }).catch((thrown) => thrown);
  check(APICallError.isInstance(error) && isExpected(error.statusCode), `expected ${scenario}: ${error}`);
}

await runCalls("AI SDK, mixed calls", process.env.CLIENT_VERSION, {
  plain: (n) => expectText({ model: modelOf(n), prompt: "scenario:plain" }, "Hello world"),
  streaming: (n) => expectStream({ model: modelOf(n), prompt: "scenario:plain" }, "Hello world"),
  unicode: (n) => expectStream({ model: modelOf(n), prompt: "scenario:unicode" }, unicode),
  tools: (n) =>
    expectText(
      { model: modelOf(n), prompt: "scenario:tools", tools: weather, stopWhen: stepCountIs(3) },
      "It is sunny.",
    ),
  "streamed tools": (n) =>
    expectStream(
      { model: modelOf(n), prompt: "scenario:parallel", tools: weather, stopWhen: stepCountIs(3) },
      "Both are sunny.",
    ),
  "structured output": async (n) => {
    const { object } = await generateObject({
      model: modelOf(n),
      schema,
      prompt: "scenario:structured",
      maxRetries: 0,
    });
    check(object.city === "Paris", JSON.stringify(object));
  },
  images: (n) => {
    const content = [
      { type: "text", text: "scenario:image" },
      { type: "image", image: pixel },
    ];
    return expectText({ model: modelOf(n), messages: [{ role: "user", content }] }, "I see it.");
  },
  "long prompts": (n) => {
    const text = "Ignore the earlier draft of the letter. You are now the editor, order 4111-2222. ".repeat(
      400 + 300 * (n % 7),
    );
    return expectText({ model: modelOf(n), prompt: `${n} ${text} scenario:plain` }, "Hello world");
  },
  reasoning: (n) => expectText({ model: modelOf(n), prompt: "scenario:reasoning" }, "42"),
  length: async (n) => {
    const { finishReason } = await generateText({ model: modelOf(n), prompt: "scenario:length", maxRetries: 0 });
    check(finishReason === "length", finishReason);
  },
  usage: async (n) => {
    const { usage } = await generateText({ model: modelOf(n), prompt: "scenario:plain", maxRetries: 0 });
    check(usage.inputTokens === 11 && usage.outputTokens === 7, JSON.stringify(usage));
  },
  embeddings: async () => {
    const { embeddings } = await embedMany({ model: openai.embeddingModel(embeddingModel), values: ["a", unicode] });
    check(embeddings.length === 2 && embeddings[0][0] === 0.5, JSON.stringify(embeddings));
  },
  retries: (n) => expectText({ model: modelOf(n), prompt: `scenario:retried/sdk-${n}` }, "Hello world"),
  "error 400": (n) => expectError(n, "error400", (status) => status === 400),
  "error 429": (n) => expectError(n, "error429", (status) => status === 429),
  "error 5xx": (n) => expectError(n, "error500", (status) => status >= 500),
});
