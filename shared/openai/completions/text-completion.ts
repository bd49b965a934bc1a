import type { TextCompletionRequest } from "../../api/openai/completions.ts";
import type { ChatCompletionRequest } from "../../api/openai/openai.ts";
import type { ChunkChoice } from "../../models/chat-chunk.ts";
import type { CompletionAnswer, CompletionHead } from "./completion.ts";

/** Default maximum of generated tokens, as in OpenAI's legacy completions API. */
const DEFAULT_MAX_TOKENS = 16;

/** Converts a request of the legacy completions API to a chat completion request with one user message. */
export function textToChatRequest(request: TextCompletionRequest): ChatCompletionRequest {
  const { prompt, max_tokens, best_of: _, echo: __, logprobs: ___, suffix: ____, ...fields } = request;
  const content = typeof prompt === "string" ? prompt : (prompt[0] ?? "");
  return { ...fields, max_tokens: max_tokens ?? DEFAULT_MAX_TOKENS, messages: [{ role: "user", content }] };
}

/** Returns the finish reason of a text. The format has none for calls of tools, which end the text. */
const toFinishReason = (reason: string | null | undefined) => (reason === "tool_calls" ? "stop" : reason);

/** Converts an answer to OpenAI's `text_completion` object. */
export function toTextCompletion({ head, choices, fields, reported }: CompletionAnswer) {
  const { id, created, model } = head;
  return {
    ...fields,
    ...{ id, object: "text_completion", created, model },
    choices: choices.map(({ index, message, finish_reason }) => ({
      text: message.content ?? "",
      index,
      logprobs: null,
      finish_reason: toFinishReason(finish_reason),
    })),
    usage: reported,
  };
}

/** Formats a chunk as a server-sent event with a `text_completion` object. */
export function formatTextChunk(head: CompletionHead, fields: Readonly<Record<string, unknown>>): string {
  const { id, created, model } = head;
  const choices = (fields.choices as readonly ChunkChoice[]).map(({ index, delta, finish_reason }) => ({
    text: delta.content ?? "",
    index,
    logprobs: null,
    finish_reason: toFinishReason(finish_reason),
  }));
  return `data: ${JSON.stringify({ ...fields, id, object: "text_completion", created, model, choices })}\n\n`;
}
