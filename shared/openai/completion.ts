import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Usage } from "../api/conversations/messages.ts";
import { withheldMessage } from "../guardrails/canned-messages.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import { StreamingRedactor } from "../guardrails/streaming-redactor.ts";

/** Fields that all chunks of a completion share. */
export interface CompletionHead {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The endpoint's slug. */
  readonly model: string;
}

/** Part of a message in one chunk. */
export type Delta = Record<string, unknown>;

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Finished answer, from which a response or a stream can be created again. */
export interface CompletionAnswer {
  readonly head: CompletionHead;
  readonly message: {
    readonly role: "assistant";
    readonly content: string | null;
    readonly refusal: null;
    readonly tool_calls?: readonly ToolCall[];
  };
  readonly finish_reason: string;
  readonly usage: Usage;
}

const finishReasons: Readonly<Record<LanguageModelV4FinishReason["unified"], string>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "stop",
  interrupted: "stop",
  other: "stop",
};

/**
 * Converts the parts of a model's stream to OpenAI deltas, redacts sensitive data, and collects the answer.
 */
export class CompletionWriter {
  /** Null for a response that is not streamed: the guardrail checks its complete text before it is sent. */
  readonly #redactor: StreamingRedactor | null;
  #text = "";
  #finishReason = "stop";
  readonly #calls: { readonly id: string; readonly name: string; input: string }[] = [];

  constructor({ streams }: { readonly streams: boolean }) {
    this.#redactor = streams ? new StreamingRedactor() : null;
  }

  /** Text of the answer so far. */
  get text(): string {
    return this.#text;
  }

  /** Returns the delta for a part, or null if clients do not receive the part. */
  take(part: LanguageModelV4StreamPart): Delta | null {
    switch (part.type) {
      case "text-delta":
        return this.#appendText(this.#redactor?.push(part.delta) ?? part.delta);
      case "tool-input-start":
        return this.#startCall(part.id, part.toolName);
      case "tool-input-delta":
        return this.#continueCall(part.id, part.delta);
      case "tool-call":
        // Some providers send a call as a whole instead of in deltas.
        return this.#findCallIndex(part.toolCallId) < 0
          ? this.#startCall(part.toolCallId, part.toolName, part.input)
          : null;
      case "finish":
        this.#finishReason = this.#calls.length > 0 ? "tool_calls" : finishReasons[part.finishReason.unified];
        return this.#appendText(this.#redactor?.end() ?? "");
      default:
        return null;
    }
  }

  /** Checks the complete answer. A stream cannot be taken back, but its finish reason reports a blocked answer. */
  async check(): Promise<void> {
    if (this.#text === "") return;
    const guardrail = await loadGuardrail();
    const verdict = await guardrail.check({ stage: "output", text: this.#text });
    if (verdict.action === "block") this.refuse(withheldMessage);
    else this.#text = verdict.text;
  }

  /** Replaces the answer with a message of this service. */
  refuse(message: string): Delta {
    this.#text = message;
    this.#calls.length = 0;
    this.#finishReason = "content_filter";
    return { content: message };
  }

  /** Returns the answer so far. */
  answer(head: CompletionHead, usage: Usage): CompletionAnswer {
    const tool_calls = this.#calls.map(({ id, name, input }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: input },
    }));
    const message = {
      role: "assistant" as const,
      content: this.#text || tool_calls.length === 0 ? this.#text : null,
      refusal: null,
      ...(tool_calls.length > 0 && { tool_calls }),
    };
    return { head, message, finish_reason: this.#finishReason, usage };
  }

  #appendText(text: string): Delta | null {
    this.#text += text;
    return text ? { content: text } : null;
  }

  #findCallIndex(id: string): number {
    return this.#calls.findIndex((call) => call.id === id);
  }

  #startCall(id: string, name: string, input = ""): Delta {
    const index = this.#calls.push({ id, name, input }) - 1;
    return { tool_calls: [{ index, id, type: "function", function: { name, arguments: input } }] };
  }

  #continueCall(id: string, delta: string): Delta | null {
    const index = this.#findCallIndex(id);
    const call = this.#calls[index];
    if (!call) return null;
    call.input += delta;
    return { tool_calls: [{ index, function: { arguments: delta } }] };
  }
}

/** Converts usage to OpenAI's schema. */
export function toOpenaiUsage({ input_tokens, output_tokens, total_tokens }: Usage) {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens };
}

/** Converts an answer to OpenAI's schema. */
export function toChatCompletion({ head, message, finish_reason, usage }: CompletionAnswer) {
  const { id, created, model } = head;
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: toOpenaiUsage(usage),
  };
}

/** Converts a finished answer to deltas. */
export function* toDeltas({ message: { content, tool_calls } }: CompletionAnswer): Generator<Delta, void> {
  if (content) yield { content };
  for (const [index, call] of (tool_calls ?? []).entries()) yield { tool_calls: [{ index, ...call }] };
}

/** Formats one event of OpenAI's stream. */
export function formatChunk(head: CompletionHead, fields: Record<string, unknown>): string {
  const { id, created, model } = head;
  return `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...fields })}\n\n`;
}

/** Returns the `choices` of a chunk. */
export function toChoices(delta: Delta, finish_reason: string | null = null) {
  return [{ index: 0, delta, logprobs: null, finish_reason }];
}
