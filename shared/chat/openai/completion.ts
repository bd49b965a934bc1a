import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Usage } from "../../api/messages.ts";

/** What a completion goes by. */
export interface CompletionHead {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The endpoint's slug. */
  readonly model: string;
}

type Delta = Record<string, unknown>;

const finishReasons: Readonly<Record<LanguageModelV4FinishReason["unified"], string>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "stop",
  interrupted: "stop",
  other: "stop",
};

/** Turns what a model says into the deltas of OpenAI's stream, and keeps the whole for who wants it at once. */
export class CompletionWriter {
  #text = "";
  #finishReason = "stop";
  readonly #calls: { readonly id: string; readonly name: string; input: string }[] = [];

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** The delta that a part comes to, or null where it says nothing to a client. */
  take(part: LanguageModelV4StreamPart): Delta | null {
    switch (part.type) {
      case "text-delta":
        this.#text += part.delta;
        return part.delta ? { content: part.delta } : null;
      case "tool-input-start":
        return this.#begin(part.id, part.toolName);
      case "tool-input-delta":
        return this.#continue(part.id, part.delta);
      case "tool-call":
        // A provider that gave no pieces gives the whole call now.
        return this.#index(part.toolCallId) < 0 ? this.#begin(part.toolCallId, part.toolName, part.input) : null;
      case "finish":
        this.#finishReason = this.#calls.length > 0 ? "tool_calls" : finishReasons[part.finishReason.unified];
        return null;
      default:
        return null;
    }
  }

  /** Why the answer ends, in OpenAI's words. */
  get finishReason(): string {
    return this.#finishReason;
  }

  /** The answer as one message. */
  message(): Record<string, unknown> {
    const tool_calls = this.#calls.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: input },
    }));
    return {
      role: "assistant",
      content: this.#text || tool_calls.length === 0 ? this.#text : null,
      refusal: null,
      ...(tool_calls.length > 0 && { tool_calls }),
    };
  }

  #index(id: string): number {
    return this.#calls.findIndex((call) => call.id === id);
  }

  #begin(id: string, name: string, input = ""): Delta {
    const index = this.#calls.push({ id, name, input }) - 1;
    return { tool_calls: [{ index, id, type: "function", function: { name, arguments: input } }] };
  }

  #continue(id: string, delta: string): Delta | null {
    const index = this.#index(id);
    const call = this.#calls[index];
    if (!call) return null;
    call.input += delta;
    return { tool_calls: [{ index, function: { arguments: delta } }] };
  }
}

/** Usage in OpenAI's words. */
export function openaiUsage({ input_tokens, output_tokens, total_tokens }: Usage) {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens };
}

/** A whole answer in OpenAI's schema. */
export function completion(head: CompletionHead, writer: CompletionWriter, usage: Usage) {
  const { id, created, model } = head;
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message: writer.message(), logprobs: null, finish_reason: writer.finishReason }],
    usage: openaiUsage(usage),
  };
}

/** One event of OpenAI's stream. */
export function chunkText(head: CompletionHead, fields: Record<string, unknown>): string {
  const { id, created, model } = head;
  return `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...fields })}\n\n`;
}

/** The one choice of a chunk. */
export function choice(delta: Delta, finish_reason: string | null = null) {
  return [{ index: 0, delta, logprobs: null, finish_reason }];
}
