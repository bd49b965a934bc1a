import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, embedMany, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const {
  OPENAI_BASE_URL: baseURL,
  OPENAI_API_KEY: apiKey,
  SCENARIO_MODEL: modelId,
  SCENARIO_EMBEDDING_MODEL: embeddingModel,
  SCENARIO_UNICODE: unicode,
} = process.env;
const openai = createOpenAI({ baseURL, apiKey });
const compatible = createOpenAICompatible({ name: "switchboard", baseURL, apiKey });
/** Default model of the OpenAI provider, which uses the responses API, and two models that use chat completions. */
const models = [openai(modelId), openai.chat(modelId), compatible(modelId)];
const schema = z.object({ city: z.string(), population: z.number() });
const ask = (name) => `scenario:${name}`;

function check(condition, message) {
  if (!condition) throw new Error(message);
}

const weather = {
  get_weather: tool({
    description: "Returns the weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async () => "sunny",
  }),
};

async function forEachModel(run) {
  for (const model of models) await run(model);
}

const scenarios = {
  plain: () =>
    forEachModel(async (model) => {
      const { text, finishReason } = await generateText({ model, prompt: ask("plain") });
      check(text === "Hello world" && finishReason === "stop", `${text} ${finishReason}`);
    }),
  usage: () =>
    forEachModel(async (model) => {
      const { usage } = await generateText({ model, prompt: ask("plain") });
      check(usage.inputTokens === 11 && usage.outputTokens === 7, JSON.stringify(usage));
    }),
  streaming: () =>
    forEachModel(async (model) => {
      const { textStream } = streamText({ model, prompt: ask("unicode") });
      check((await Array.fromAsync(textStream)).join("") === unicode, "text differs");
    }),
  tools: () =>
    forEachModel(async (model) => {
      const { text } = await generateText({ model, prompt: ask("tools"), tools: weather, stopWhen: stepCountIs(3) });
      check(text === "It is sunny.", text);
    }),
  "streamed tools": () =>
    forEachModel(async (model) => {
      const result = streamText({ model, prompt: ask("parallel"), tools: weather, stopWhen: stepCountIs(3) });
      check((await result.text) === "Both are sunny.", await result.text);
    }),
  "structured output": () =>
    forEachModel(async (model) => {
      const { object } = await generateObject({ model, schema, prompt: ask("structured") });
      check(object.city === "Paris", JSON.stringify(object));
    }),
  reasoning: () =>
    forEachModel(async (model) => {
      const { text } = await generateText({ model, prompt: ask("reasoning") });
      check(text === "42", text);
    }),
  length: async () => {
    const { finishReason } = await generateText({ model: openai.chat(modelId), prompt: ask("length") });
    check(finishReason === "length", finishReason);
  },
  images: async () => {
    const image =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const content = [
      { type: "text", text: ask("image") },
      { type: "image", image },
    ];
    await forEachModel(async (model) => {
      const { text } = await generateText({ model, messages: [{ role: "user", content }] });
      check(text === "I see it.", text);
    });
  },
  "error 400": () =>
    forEachModel(async (model) => {
      const error = await generateText({ model, prompt: ask("error400"), maxRetries: 0 }).catch((thrown) => thrown);
      check(APICallError.isInstance(error) && error.statusCode === 400 && !error.isRetryable, String(error));
    }),
  "error 429": async () => {
    const error = await generateText({ model: models[1], prompt: ask("error429"), maxRetries: 0 }).catch((e) => e);
    check(error.statusCode === 429 && error.isRetryable, String(error));
  },
  retries: () =>
    forEachModel(async (model) => {
      const { text } = await generateText({ model, prompt: ask(`retried/${crypto.randomUUID()}`) });
      check(text === "Hello world", text);
    }),
  embeddings: async () => {
    const { embeddings } = await embedMany({ model: openai.embeddingModel(embeddingModel), values: ["a", "b"] });
    check(embeddings.length === 2 && embeddings[0][0] === 0.5, JSON.stringify(embeddings));
  },
  "stored responses": async () => {
    const first = await generateText({ model: models[0], prompt: ask("plain") });
    const { responseId } = first.providerMetadata.openai;
    const second = await generateText({
      model: models[0],
      prompt: "And now?",
      providerOptions: { openai: { previousResponseId: responseId } },
    });
    check(second.text === "Hello world", second.text);
  },
  conversations: () =>
    forEachModel(async (model) => {
      for (const name of ["tools", "reasoning"]) {
        const question = { role: "user", content: ask(name) };
        const first = await generateText({ model, messages: [question], tools: weather, stopWhen: stepCountIs(3) });
        const messages = [question, ...first.response.messages, { role: "user", content: ask("plain") }];
        const { text } = await generateText({ model, messages, tools: weather });
        check(text === "Hello world", text);
      }
    }),
  disconnect: async () => {
    const controller = new AbortController();
    const { textStream } = streamText({ model: models[1], prompt: ask("endless"), abortSignal: controller.signal });
    for await (const _ of textStream) controller.abort();
  },
};

for (const [scenario, run] of Object.entries(scenarios)) {
  const startedAt = performance.now();
  const result = await run().then(
    () => ({ passed: true }),
    (error) => ({ passed: false, detail: String(error).slice(0, 500) }),
  );
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  console.log(JSON.stringify({ client: "AI SDK", version: process.env.CLIENT_VERSION, scenario, seconds, ...result }));
}
