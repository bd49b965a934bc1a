import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { DEMO_MODEL } from "../../../shared/models/has-language-model.ts";
import type { DemoReply } from "./answer.ts";
import type { DemoRequest } from "./prompt.ts";

/** Delay between words in milliseconds, so that the answer streams like that of a real model. */
const WORD_DELAY_MS = 8;

/** Time for which an idle connection stays open: longer than clients keep theirs. */
const KEEP_ALIVE_MS = 120_000;

const estimateTokens = (text: string) => Math.ceil(text.length / 4);

/** Splits a text into words, each with the white space after it. */
const splitWords = (text: string): readonly string[] => text.match(/^\s+|\S+\s*/g) ?? [];

/** Ends an answer before the first stop sequence, or at the maximum number of tokens. */
function limit(answer: string, { stop, max_tokens, max_completion_tokens }: DemoRequest) {
  const stops = [stop ?? []].flat().map((sequence) => answer.indexOf(sequence));
  const text = answer.slice(0, Math.min(answer.length, ...stops.filter((index) => index >= 0)));
  const maxTokens = max_completion_tokens ?? max_tokens ?? Number.POSITIVE_INFINITY;
  if (estimateTokens(text) <= maxTokens) return { text, finish_reason: "stop" };
  const words = splitWords(text);
  while (words.length > 0 && estimateTokens(words.join("")) > maxTokens) (words as string[]).pop();
  return { text: words.join("").trimEnd(), finish_reason: "length" };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, param: string | null, code: string, message: string): void {
  sendJson(response, status, { error: { message, type: "invalid_request_error", param, code } });
}

/** Returns the field of a request that a model without understanding cannot follow. */
function findUnsupported({ response_format, tool_choice }: DemoRequest): string | undefined {
  if (response_format && response_format.type !== "text") return "response_format";
  return tool_choice && tool_choice !== "auto" && tool_choice !== "none" ? "tool_choice" : undefined;
}

async function sendReply(
  response: ServerResponse,
  request: DemoRequest,
  { text: answer, call }: DemoReply,
): Promise<void> {
  const { text, finish_reason } = call ? { text: "", finish_reason: "tool_calls" } : limit(answer, request);
  const prompt_tokens = estimateTokens(JSON.stringify(request.messages));
  const completion_tokens = estimateTokens(call?.arguments ?? text);
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const frame = { id: "chatcmpl-demo", created: Math.floor(Date.now() / 1000), model: DEMO_MODEL };
  const tool_calls = call && [{ id: `call_${call.name}`, type: "function", function: call }];
  if (!request.stream) {
    const message = { role: "assistant", content: call ? null : text, ...(tool_calls && { tool_calls }) };
    const choices = [{ index: 0, message, finish_reason }];
    return sendJson(response, 200, { ...frame, object: "chat.completion", choices, usage });
  }
  const send = (fields: object) =>
    response.write(`data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", ...fields })}\n\n`);
  const sendDelta = (delta: object, reason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: reason }] });
  response.writeHead(200, { "content-type": "text/event-stream" });
  sendDelta({ role: "assistant", content: "" });
  if (tool_calls) sendDelta({ tool_calls: tool_calls.map((each, index) => ({ index, ...each })) });
  for (const content of splitWords(text)) {
    if (response.destroyed) return;
    sendDelta({ content });
    await sleep(WORD_DELAY_MS);
  }
  sendDelta({}, finish_reason);
  send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

async function complete(response: ServerResponse, body: string): Promise<void> {
  const request = JSON.parse(body) as DemoRequest;
  if (request.model !== DEMO_MODEL) {
    return refuse(response, 404, "model", "model_not_found", `There is no model ${request.model}, only ${DEMO_MODEL}.`);
  }
  const field = findUnsupported(request);
  if (field) {
    const message = `The demo model does not support ${field}; connect a language model (MODEL_PROVIDER).`;
    return refuse(response, 400, field, "unsupported_parameter", message);
  }
  // Loaded by the first request, so that the start of the service does not wait for it.
  const { answer } = await import("./answer.ts");
  await sendReply(response, request, answer(request));
}

/** Starts the demo model with OpenAI's chat completions API on a free port, and returns its base URL. */
export async function startModelServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      if (request.url === "/v1/models") {
        sendJson(response, 200, { object: "list", data: [{ id: DEMO_MODEL, object: "model", owned_by: "demo" }] });
      } else if (request.method === "POST" && request.url === "/v1/chat/completions") {
        await complete(response, await readText(request));
      } else refuse(response, 404, null, "not_found", "The demo model has chat completions only.");
    } catch (error) {
      refuse(response, 400, null, "invalid_request", error instanceof Error ? error.message : String(error));
    }
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  // The model ends with the process that serves the app.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
