import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { chunk, type ReceivedRequest, type Script, startEventStream } from "#test/support/models/upstream.ts";
import { type Facts, factsOfChat } from "./facts.ts";

type Fields = Record<string, unknown>;

/** Text with characters of two to four bytes in UTF-8. */
export const UNICODE = "Grüße, 日本語, 🙂 and naïve café";

export const usage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const toCall = (index: number, name: string, input: unknown) => ({
  index,
  id: `call_${index}`,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

const token = (text: string) => ({ token: text, logprob: -0.1, bytes: [...Buffer.from(text)], top_logprobs: [] });

/** Scripted answer of the provider: its deltas, which each choice repeats, and its end. */
export interface Answer {
  readonly deltas: readonly Fields[];
  readonly finishReason?: string;
  /** Sequence at which the answer stops, which vLLM reports next to the finish reason. */
  readonly stopSequence?: string;
  /** Time before the answer. */
  readonly pauseMs?: number;
  readonly choices?: number;
  readonly logprobs?: unknown;
  /** Cuts the connection after the first delta. */
  readonly breaks?: boolean;
}

const say = (...texts: string[]): Answer => ({ deltas: texts.map((content) => ({ content })) });

/** Value that satisfies the schemas of all scenarios. */
const structured = { city: "Paris", population: 2_100_000, name: "Ada", age: 36 };

const hasToolResult = (messages: readonly Fields[]) => messages.some(({ role }) => role === "tool");

/** Calls the first tool of a request with arguments that satisfy the schemas of all scenarios. */
function callTool({ tools }: Fields): Answer {
  const [tool] = (tools ?? []) as readonly { function: { name: string } }[];
  return {
    deltas: [{ tool_calls: [toCall(0, tool?.function.name ?? "none", structured)] }],
    finishReason: "tool_calls",
  };
}

/** Answers by scenario. The last `scenario:<name>` in the messages selects the scenario. */
const answers: Readonly<Record<string, (body: Fields) => Answer>> = {
  plain: () => say("Hello", " world"),
  unicode: () => say(...[...UNICODE]),
  tools: (body) => (hasToolResult(body.messages as Fields[]) ? say("It is sunny.") : callTool(body)),
  parallel: (body) =>
    hasToolResult(body.messages as Fields[])
      ? say("Both are sunny.")
      : {
          deltas: [
            {
              tool_calls: ["Paris", "Rome"].map((city, index) => toCall(index, "get_weather", { city })),
            },
          ],
          finishReason: "tool_calls",
        },
  custom: ({ messages }) =>
    hasToolResult(messages as Fields[])
      ? say("Done.")
      : { deltas: [{ tool_calls: [toCall(0, "run", { input: "print(1)" })] }], finishReason: "tool_calls" },
  // Without the schema in the request, the answer does not match it, so the scenario fails.
  structured: (body) => {
    if (hasToolResult(body.messages as Fields[])) return say("Done.");
    const format = body.response_format as { type?: string; json_schema?: { schema?: unknown } } | undefined;
    if (format?.type === "json_schema" && format.json_schema?.schema) return say(JSON.stringify(structured));
    if (format?.type === "json_object") return say(JSON.stringify(structured));
    return body.tools ? callTool(body) : say("The schema is missing.");
  },
  length: () => ({ ...say("Cut"), finishReason: "length" }),
  echo: ({ messages: _, ...body }) => say(JSON.stringify(body)),
  image: ({ messages }) => say(JSON.stringify(messages).includes("image_url") ? "I see it." : "There is no image."),
  choices: ({ n }) => ({ ...say("One of many"), choices: Number(n ?? 1) }),
  logprobs: () => ({ deltas: [{ content: "Hi" }], logprobs: { content: [token("Hi")], refusal: null } }),
  reasoning: () => ({ deltas: [{ reasoning_content: "Let me think." }, { content: "42" }] }),
  broken: () => ({ ...say("Half of it"), breaks: true }),
};

const call = (name: string, ...inputs: unknown[]): Answer => ({
  deltas: [{ tool_calls: inputs.map((input, index) => toCall(index, name, input)) }],
  finishReason: "tool_calls",
});

const weather = (...cities: string[]) => call("get_weather", ...cities.map((city) => ({ city })));

const sayResults = ({ results }: Facts) => say(`It is ${results.map(([, text]) => text).join(" and ")}.`);

/** Answers that depend on what a request says, for requests of both APIs. */
const factAnswers: Readonly<Record<string, (facts: Facts) => Answer>> = {
  facts: (facts) => say(JSON.stringify(facts)),
  weather: (facts) => (facts.results.length > 0 ? sayResults(facts) : weather("Paris")),
  weathers: (facts) => (facts.results.length > 0 ? sayResults(facts) : weather("Paris", "Rome")),
  look: (facts) => {
    if (facts.results.length > 0) return sayResults(facts);
    const { deltas, ...answer } = weather("Paris");
    return { ...answer, deltas: [{ content: "I look." }, ...deltas] };
  },
  think: (facts) => {
    if (facts.results.length > 0) return say(`${facts.thinking.join()} It is ${facts.results[0]?.[1]}.`);
    const { deltas, ...answer } = facts.tools.length > 0 ? weather("Paris") : say("42");
    return { ...answer, deltas: [{ reasoning_content: "Let me" }, { reasoning_content: " think." }, ...deltas] };
  },
  fill: ({ schema, tools, results }) => {
    if (results.length > 0) return say("Done.");
    if (schema) return say(JSON.stringify(structured));
    return tools[0] ? call(tools[0].name, structured) : say("The schema is missing.");
  },
  stopped: ({ settings: { stop } }) => ({
    ...say("Before the"),
    stopSequence: (stop as string[] | undefined)?.[0] ?? "",
  }),
  filtered: () => ({ ...say("I can"), finishReason: "content_filter" }),
  slow: () => ({ ...say("Late"), pauseMs: 3_000 }),
};

/** Returns the answer of a scenario to a request with these facts; undefined if none of this name depends on facts. */
export const answerFacts = (name: string, facts: Facts): Answer | undefined => factAnswers[name]?.(facts);

/** Returns the answer of a scenario that does not depend on the request. */
export const fixedAnswer = (name: string): Answer => (answers[name] ?? (() => say("Hello", " world")))({});

/** Returns the name of the last scenario in messages, and the key of its attempts. */
export function findScenario(messages: unknown): readonly [name: string, attemptKey: string] {
  const [, name = "plain", attemptKey = ""] =
    [...(JSON.stringify(messages) ?? "").matchAll(/scenario:(\w+)(?:\/([\w-]+))?/g)].at(-1) ?? [];
  return [name, attemptKey];
}

export const errors: Readonly<Record<string, { status: number; error: Fields; headers?: Record<string, string> }>> = {
  error400: {
    status: 400,
    error: { message: "Invalid schema", type: "invalid_request_error", param: "tools[0]", code: "invalid_schema" },
  },
  overflow: {
    status: 400,
    error: {
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  },
  error401: { status: 401, error: { message: "Incorrect API key provided: sk-secret", code: "invalid_api_key" } },
  error404: { status: 404, error: { message: "The model does not exist", code: "model_not_found" } },
  error429: {
    status: 429,
    error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" },
    headers: { "retry-after": "30" },
  },
  error500: { status: 500, error: { message: "The server had an error", type: "server_error" } },
  overloaded: { status: 529, error: { message: "Overloaded", type: "overloaded_error" } },
};

export const respondJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const endOf = ({ finishReason = "stop", stopSequence }: Pick<Answer, "finishReason" | "stopSequence">) => ({
  finish_reason: finishReason,
  ...(stopSequence && { stop_reason: stopSequence }),
});

async function streamAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.pauseMs) await sleep(answer.pauseMs);
  startEventStream(response);
  const indexes = Array.from({ length: answer.choices ?? 1 }, (_, index) => index);
  for (const index of indexes) {
    response.write(chunk({ role: "assistant", content: "" }, { index }));
    for (const delta of answer.deltas) response.write(chunk(delta, { index, logprobs: answer.logprobs ?? null }));
  }
  if (answer.breaks) {
    await sleep(300);
    response.destroy();
    return;
  }
  for (const index of indexes) response.write(chunk({}, { index, ...endOf(answer) }));
  response.write(`data: ${JSON.stringify({ id: "chatcmpl-1", created: 1, model: "m", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

async function respondWhole(response: ServerResponse, { deltas, choices: count = 1, ...answer }: Answer) {
  if (answer.pauseMs) await sleep(answer.pauseMs);
  if (answer.breaks) return void response.destroy();
  const join = (name: string) => deltas.map((delta) => delta[name] ?? "").join("") || null;
  const calls = deltas.flatMap(({ tool_calls }) => (tool_calls as Fields[] | undefined) ?? []);
  const message = {
    role: "assistant",
    content: join("content"),
    ...(join("reasoning_content") && { reasoning_content: join("reasoning_content") }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ index: _, ...call }) => call) }),
  };
  const choices = Array.from({ length: count }, (_, index) => ({
    index,
    message,
    logprobs: answer.logprobs ?? null,
    ...endOf(answer),
  }));
  respondJson(response, 200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices,
    usage,
    system_fingerprint: "fp_1",
    service_tier: "default",
  });
}

/** Streams words until the connection is closed. */
async function streamEndlessly(response: ServerResponse): Promise<void> {
  startEventStream(response);
  for (let n = 0; n < 300 && !response.destroyed; n++) {
    response.write(chunk({ content: "word " }));
    await sleep(100);
  }
  response.end();
}

function embed(response: ServerResponse, { input, encoding_format }: Fields): void {
  const texts = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  const vector = [0.5, -0.25, 0.125];
  const embedding =
    encoding_format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
  respondJson(response, 200, {
    object: "list",
    model: "m",
    data: texts.map((_, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 2, total_tokens: 2 },
  });
}

/**
 * Creates a provider that answers each scenario of the clients. It fails the first attempt of `retried` scenarios, and
 * refuses the first one of `fallback` scenarios as too long.
 */
export function createScript(): Script {
  const attempts = new Map<string, number>();
  return async (response: ServerResponse, { path, body }: ReceivedRequest) => {
    if (path.endsWith("/embeddings")) return embed(response, body);
    const [name, attemptKey] = findScenario(body.messages);
    if (name === "retried" || name === "fallback") {
      const attempt = (attempts.get(attemptKey) ?? 0) + 1;
      attempts.set(attemptKey, attempt);
      if (attempt === 1 && name === "retried") return respondJson(response, 503, { error: { message: "Overloaded" } });
      if (attempt === 1) return respondJson(response, 400, { error: errors.overflow?.error });
    }
    if (name === "endless") return streamEndlessly(response);
    const failure = errors[name];
    if (failure) return respondJson(response, failure.status, { error: failure.error }, failure.headers);
    const answer = answers[name]?.(body) ?? answerFacts(name, factsOfChat(body)) ?? fixedAnswer("plain");
    if (body.stream) await streamAnswer(response, answer);
    else await respondWhole(response, answer);
  };
}
