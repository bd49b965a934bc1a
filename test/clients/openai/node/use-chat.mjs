/**
 * Runs `useChat` of the AI SDK in a page of React whose back end calls the API, and then the provider directly: both have
 * the same outcome.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { useChat } from "@ai-sdk/react";
import { convertToModelMessages, DefaultChatTransport, streamText, tool } from "ai";
import { JSDOM } from "jsdom";
import { createElement } from "react";
import { z } from "zod";

const { window } = new JSDOM('<div id="root"></div>');
Object.assign(globalThis, { window, document: window.document });
const { createRoot } = await import("react-dom/client");

const {
  OPENAI_BASE_URL,
  OPENAI_API_KEY,
  SCENARIO_MODEL,
  SCENARIO_DIRECT_URL,
  SCENARIO_UNICODE,
  CLIENT_VERSION: version,
} = process.env;

const targets = [
  { baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY, model: SCENARIO_MODEL },
  { baseURL: SCENARIO_DIRECT_URL, apiKey: "sk-direct", model: "m" },
];

const providers = {
  compatible: ({ model, ...options }) =>
    createOpenAICompatible({ name: "test", includeUsage: true, ...options })(model),
  openai: ({ model, ...options }) => createOpenAI(options).chat(model),
};

const get_weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

/**
 * Returns true if an answer is the expected one. The API holds back the last word of a stream that breaks, which could be
 * the beginning of a secret.
 */
const isExpected = ([parts, hasError], [expectedParts, expectsError]) =>
  hasError === expectsError &&
  parts.length === expectedParts.length &&
  parts.every((part, index) => (hasError ? part.startsWith(expectedParts[index]) : part === expectedParts[index]));

/** Sends a message with `useChat`, and returns what the page shows when the answer has ended. */
function chat(model, text, tools) {
  const fetch = async (_, { body }) => {
    const { messages } = JSON.parse(body);
    const result = streamText({
      model,
      messages: await convertToModelMessages(messages),
      maxRetries: 0,
      ...(tools && { tools: { get_weather } }),
      onError: () => {},
    });
    return result.toUIMessageStreamResponse({ onError: String });
  };
  const root = createRoot(window.document.getElementById("root"));
  return new Promise((resolve) => {
    let isSent = false;
    function Page() {
      const { messages, status, error, sendMessage } = useChat({ transport: new DefaultChatTransport({ fetch }) });
      if (!isSent) {
        isSent = true;
        setTimeout(() => sendMessage({ text }));
      } else if (messages.length > 1 && (status === "ready" || status === "error")) {
        const parts = messages.at(-1).parts.map((part) => part.text ?? part.output ?? part.type);
        resolve([parts.filter(Boolean), Boolean(error)]);
      } else if (status === "error") resolve([[], true]);
      return createElement("p", null, status);
    }
    root.render(createElement(Page));
  }).finally(() => root.unmount());
}

const scenarios = [
  ["streaming", "plain", [["step-start", "Hello world"], false]],
  ["unicode", "unicode", [["step-start", SCENARIO_UNICODE], false]],
  ["streamed tools", "parallel", [["step-start", "sunny in Paris", "sunny in Rome"], false]],
  ["broken stream", "broken", [["step-start", "Half of"], true]],
  ["error 400", "error400", [[], true]],
  ["error 429", "error429", [[], true]],
  ["overflow", "overflow", [[], true]],
];

for (const [name, create] of Object.entries(providers)) {
  for (const [scenario, text, expected] of scenarios) {
    const startedAt = performance.now();
    const outcomes = [];
    for (const target of targets) outcomes.push(await chat(create(target), `scenario:${text}`, text === "parallel"));
    const passed = outcomes.every((outcome) => isExpected(outcome, expected));
    const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
    const detail = passed ? undefined : `API and provider: ${JSON.stringify(outcomes)}`;
    console.log(JSON.stringify({ client: `useChat, ${name}`, version, scenario, passed, seconds, detail }));
  }
}
process.exit(0);
