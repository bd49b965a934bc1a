import { createAnthropic } from "@ai-sdk/anthropic";
import { APICallError, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { ask, compared, PIXEL, run } from "./compared.mjs";

// The library warns about models whose maximum it does not know.
globalThis.AI_SDK_LOG_WARNINGS = false;

const connect = ({ baseURL, apiKey, model }) => createAnthropic({ baseURL: `${baseURL}/v1`, apiKey })(model);
const weather = {
  get_weather: tool({
    description: "Returns the weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  }),
};
const thinking = { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } };

const describe = ({ text, reasoningText, finishReason, usage, steps }) => [
  text,
  reasoningText ?? null,
  finishReason,
  usage.inputTokens,
  usage.outputTokens,
  usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens,
  steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input])),
];

const generate = async (target, name, options = {}) =>
  describe(await generateText({ model: connect(target), prompt: ask(name), maxRetries: 0, ...options }));

async function stream(target, name, options = {}) {
  const result = streamText({ model: connect(target), prompt: ask(name), maxRetries: 0, ...options });
  const parts = [];
  for await (const { type } of result.fullStream) if (type !== parts.at(-1)) parts.push(type);
  const [text, reasoningText, finishReason, usage, steps] = await Promise.all([
    result.text,
    result.reasoningText,
    result.finishReason,
    result.usage,
    result.steps,
  ]);
  return [parts, describe({ text, reasoningText, finishReason, usage, steps })];
}

const answers = {
  text: ["plain"],
  unicode: ["unicode"],
  "maximum tokens": ["length"],
  "stop sequence": ["stopped", { stopSequences: ["END"] }],
  refusal: ["filtered"],
  tools: ["weathers", { tools: weather, stopWhen: stepCountIs(3) }],
  thinking: ["think", { providerOptions: thinking, maxOutputTokens: 2_048 }],
  "thinking and tools": [
    "think",
    { providerOptions: thinking, maxOutputTokens: 2_048, tools: weather, stopWhen: stepCountIs(3) },
  ],
};
for (const [title, [name, options]] of Object.entries(answers)) {
  compared(title, (target) => generate(target, name, options));
  compared(`${title}, streamed`, (target) => stream(target, name, options));
}

compared("schema of the answer", async (target) => {
  const schema = z.object({ city: z.string(), population: z.number() });
  return (await generateObject({ model: connect(target), schema, prompt: ask("fill") })).object;
});

const facts = async (target, options) =>
  JSON.parse((await generateText({ model: connect(target), maxRetries: 0, ...options })).text);

compared("system prompt", (target) => facts(target, { system: "Be polite.", prompt: ask("facts") }));
compared("settings", (target) =>
  facts(target, { prompt: ask("facts"), temperature: 0.5, topK: 40, maxOutputTokens: 99, stopSequences: ["END"] }),
);
compared("image of bytes", (target) => {
  const content = [
    { type: "text", text: ask("facts") },
    { type: "image", image: `data:image/png;base64,${PIXEL}` },
  ];
  return facts(target, { messages: [{ role: "user", content }] });
});
compared("PDF document", (target) => {
  const content = [
    { type: "text", text: ask("facts") },
    { type: "file", data: Buffer.from("%PDF-1.4"), mediaType: "application/pdf", filename: "lease.pdf" },
  ];
  return facts(target, { messages: [{ role: "user", content }] });
});
for (const [title, name] of Object.entries({
  "error 400": "error400",
  "error 429": "error429",
  "error 529": "overloaded",
})) {
  compared(title, async (target) => {
    const error = await generate(target, name).catch((thrown) => thrown);
    return [APICallError.isInstance(error), error.statusCode, error.isRetryable];
  });
}

await run("AI SDK, Anthropic", "@ai-sdk/anthropic");
