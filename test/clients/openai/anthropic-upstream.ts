import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { startEventStream } from "#test/support/models/upstream.ts";
import { factsOfMessage } from "./facts.ts";
import { type Answer, answerFacts, errors, findScenario, fixedAnswer, respondJson, usage } from "./upstream.ts";

// biome-ignore lint/suspicious/noExplicitAny: requests of clients by other authors have any shape
type Json = any;

/** Key that the stub of Anthropic's API accepts. */
export const ANTHROPIC_KEY = "sk-ant-direct";

const requestFields: ReadonlySet<string> = new Set([
  ...["model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "output_config", "metadata"],
  ...["stream", "stop_sequences", "temperature", "top_p", "top_k", "service_tier", "cache_control", "container"],
  ...["context_management", "mcp_servers", "inference_geo", "speed", "diagnostics"],
]);

/**
 * Returns the reason why Anthropic would reject a request; undefined if it accepts the request.
 * @see https://docs.anthropic.com/en/api/messages
 */
function findFault({ messages, max_tokens, temperature, thinking, ...others }: Json, isCount: boolean) {
  const unknown = Object.keys(others).find((name) => !requestFields.has(name));
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  if (!isCount && !(max_tokens > 0)) return "max_tokens: Field required";
  if (!messages?.length) return "messages: at least one message is required";
  if (temperature > 1) return "temperature: range: 0..1";
  if (thinking?.type === "enabled" && thinking.budget_tokens < 1_024)
    return "thinking.enabled.budget_tokens: too small";
  if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) return "`max_tokens` must be greater";
  const facts = factsOfMessage({ messages });
  const called = new Set(facts.calls.map(([id]) => id));
  const answered = new Set(facts.results.map(([id]) => id));
  if ([...answered].some((id) => !called.has(id))) return "messages: unexpected `tool_use_id` found in `tool_result`";
  if ([...called].some((id) => !answered.has(id))) return "messages: `tool_use` ids without `tool_result`";
  return undefined;
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

const messageUsage = {
  input_tokens: usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.prompt_tokens_details.cached_tokens,
  output_tokens: usage.completion_tokens,
};

/** Converts a scripted answer to blocks. Models that think without being asked to do not show it. */
function toBlocks({ deltas }: Answer, showsThinking: boolean): Json[] {
  const join = (name: string) => deltas.map((delta) => delta[name] ?? "").join("");
  const calls = deltas.flatMap(({ tool_calls }) => (tool_calls as Json[] | undefined) ?? []);
  return [
    ...(showsThinking && join("reasoning_content")
      ? [{ type: "thinking", thinking: join("reasoning_content"), signature: "c2ln" }]
      : []),
    ...(join("content") ? [{ type: "text", text: join("content") }] : []),
    ...calls.map(({ id, function: { name, arguments: json } }) => ({
      type: "tool_use",
      id,
      name,
      input: JSON.parse(json),
    })),
  ];
}

const deltasOf = ({ type, text, thinking, signature, input }: Json): Json[] => {
  const halves = (value: string) => [value.slice(0, value.length / 2), value.slice(value.length / 2)];
  if (type === "text") return halves(text).map((part) => ({ type: "text_delta", text: part }));
  if (type === "tool_use")
    return halves(JSON.stringify(input)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [
    ...halves(thinking).map((part) => ({ type: "thinking_delta", thinking: part })),
    { type: "signature_delta", signature },
  ];
};

async function streamMessage(response: ServerResponse, message: Json, breaks: boolean): Promise<void> {
  startEventStream(response);
  const send = (type: string, fields: Json = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const { content, stop_reason, stop_sequence } = message;
  const start = { ...message, content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } };
  send("message_start", { message: start });
  send("ping");
  for (const [index, block] of content.entries()) {
    const empty = { text: { text: "" }, thinking: { thinking: "", signature: "" }, tool_use: { input: {} } };
    send("content_block_start", { index, content_block: { ...block, ...empty[block.type as "text"] } });
    for (const delta of deltasOf(block)) send("content_block_delta", { index, delta });
    if (breaks) {
      send("error", { error: { type: "overloaded_error", message: "Overloaded" } });
      await sleep(100);
      return void response.end();
    }
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason, stop_sequence }, usage: messageUsage });
  send("message_stop");
  response.end();
}

/**
 * Starts a stub of Anthropic's API on a free port that plays the scenarios like the scripted provider, so that clients can be
 * compared with and without this service between.
 * @param model id of its only model
 */
export async function startAnthropic(model: string) {
  const attempts = new Set<string>();
  /** Conversations that the API holds for clients that ask it to, by the id of their last message. */
  const threads = new Map<string, Json[]>();
  const fail = (response: ServerResponse, status: number, type: string, message: string, headers = {}) =>
    respondJson(response, status, { type: "error", error: { type, message }, request_id: "req_1" }, headers);
  const info = { type: "model", id: model, display_name: "Helper", created_at: "2026-01-01T00:00:00Z" };

  async function respond(response: ServerResponse, path: string, headers: IncomingHttpHeaders, received: Json) {
    const { thread, ...fields } = received;
    const earlier = threads.get(thread?.previous_message_id) ?? [];
    const body = { ...fields, ...(fields.messages && { messages: [...earlier, ...fields.messages] }) };

    response.setHeader("request-id", "req_1");
    const key = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "");
    if (key !== ANTHROPIC_KEY) return fail(response, 401, "authentication_error", "invalid x-api-key");
    if (!headers["anthropic-version"])
      return fail(response, 400, "invalid_request_error", "anthropic-version: required");
    if (path === "/v1/models")
      return respondJson(response, 200, { data: [info], has_more: false, first_id: model, last_id: model });
    if (path === `/v1/models/${model}`) return respondJson(response, 200, info);
    const isCount = path === "/v1/messages/count_tokens";
    if (path !== "/v1/messages" && !isCount) return fail(response, 404, "not_found_error", "Not found");
    const fault = findFault(body, isCount);
    if (fault) return fail(response, 400, "invalid_request_error", fault);
    if (body.model !== model) return fail(response, 404, "not_found_error", `model: ${body.model}`);
    if (isCount) return respondJson(response, 200, { input_tokens: 42 });
    const [name, attemptKey] = findScenario(body.messages);
    if (name === "retried" && !attempts.has(attemptKey)) {
      attempts.add(attemptKey);
      return fail(response, 529, "overloaded_error", "Overloaded");
    }
    const failure = errors[name];
    if (failure) {
      const types: Record<number, string> = {
        400: "invalid_request_error",
        429: "rate_limit_error",
        529: "overloaded_error",
      };
      const type = types[failure.status] ?? "api_error";
      return fail(response, failure.status, type, String(failure.error.message), failure.headers);
    }
    const answer = answerFacts(name, factsOfMessage(body)) ?? fixedAnswer(name);
    if (answer.pauseMs) await sleep(answer.pauseMs);
    const message = {
      ...{ id: `msg_${threads.size}`, type: "message", role: "assistant", model },
      content: toBlocks(answer, ["enabled", "adaptive"].includes(body.thinking?.type)),
      stop_reason: answer.stopSequence ? "stop_sequence" : stopReasons[answer.finishReason ?? "stop"],
      stop_sequence: answer.stopSequence || null,
      usage: messageUsage,
    };
    if (thread) threads.set(message.id, [...body.messages, { role: "assistant", content: message.content }]);
    if (body.stream) return streamMessage(response, message, answer.breaks ?? false);
    if (answer.breaks) return fail(response, 529, "overloaded_error", "Overloaded");
    return respondJson(response, 200, message);
  }

  const server = createServer(async (request, response) => {
    const text = await readText(request);
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    await respond(response, pathname, request.headers, text ? JSON.parse(text) : {});
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
