import type { MessageRequest } from "../../api/openai/message-requests.ts";
import { type ChatToolCall, cacheWriteOf } from "../../models/chat-chunk.ts";
import type { CompletionAnswer, CompletionHead, OpenaiUsage } from "../completions/completion.ts";
import { findThinking, showsThinking } from "./thinking.ts";

export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

/**
 * Returns the stop reason and stop sequence of an answer. Some providers end an answer with calls with `stop`; it
 * becomes `tool_use`, because clients would not run the calls otherwise.
 */
export function toStop({ stop_sequences }: MessageRequest, { choices: [choice] }: CompletionAnswer) {
  const calls = choice?.message.tool_calls;
  const reason = stopReasons[choice?.finish_reason ?? "stop"] ?? "end_turn";
  const stop_sequence = stop_sequences?.find((sequence) => sequence === choice?.stop_reason) ?? null;
  if (reason !== "end_turn") return { stop_reason: reason, stop_sequence: null };
  if (Array.isArray(calls) && calls.length > 0) return { stop_reason: "tool_use", stop_sequence: null };
  return { stop_reason: stop_sequence === null ? "end_turn" : "stop_sequence", stop_sequence };
}

/**
 * Converts the usage to Anthropic's format. Its `input_tokens` exclude the tokens that were read from and written to the cache,
 * which OpenAI's `prompt_tokens` include.
 */
export function toMessageUsage(usage: OpenaiUsage) {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const written = cacheWriteOf(usage) ?? 0;
  return {
    input_tokens: Math.max(0, usage.prompt_tokens - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: usage.completion_tokens,
  };
}

/**
 * Parses the arguments of a call. Truncated or invalid JSON becomes `{ invalid_json: … }`, because Anthropic's clients
 * require an object.
 */
function parseInput(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return { invalid_json: json };
  }
}

function toContent(request: MessageRequest, message: Readonly<Record<string, unknown>>): ContentBlock[] {
  const thinking = showsThinking(request) ? findThinking(message) : null;
  const text = message.content || message.refusal;
  const calls = (message.tool_calls ?? []) as readonly ChatToolCall[];
  return [
    ...(thinking ? [{ type: "thinking", thinking: thinking.text, signature: thinking.field }] : []),
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map(({ id, function: called }) => ({
      type: "tool_use",
      id,
      name: called?.name ?? "",
      input: parseInput(called?.arguments ?? ""),
    })),
  ];
}

/**
 * Returns the message of the event `message_start`, before the answer. Its prompt tokens are an estimate: providers
 * report the usage at the end, but some clients read it from this event.
 */
export const toStartedMessage = ({ id, model }: CompletionHead, inputTokens: number) => ({
  id,
  type: "message" as const,
  role: "assistant" as const,
  model,
  content: [] as ContentBlock[],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    // The beginning of an answer, as at Anthropic.
    output_tokens: 1,
  },
});

/** Converts an answer to Anthropic's message object. */
export const toMessage = (request: MessageRequest, answer: CompletionAnswer) => ({
  ...toStartedMessage(answer.head, 0),
  content: toContent(request, answer.choices[0]?.message ?? {}),
  ...toStop(request, answer),
  usage: toMessageUsage(answer.reported),
});
