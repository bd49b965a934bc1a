import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Usage } from "../api/conversations/messages.ts";
import { withheld } from "../guardrails/canned-messages.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import { StreamingRedactor } from "../guardrails/streaming-redactor.ts";

/** What a completion goes by. */
export interface CompletionHead {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The endpoint's slug. */
  readonly model: string;
}

/** What a chunk adds to a message. */
export type Delta = Record<string, unknown>;

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A finished answer: all that is needed to give it again, at once or in chunks. */
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
 * Turns what a model says into the deltas of OpenAI's stream, without what must not leave the service, and keeps the whole
 * for who wants it at once.
 */
export class CompletionWriter {
  /** Nothing is held back where nothing is shown before the whole was looked at. */
  readonly #redactor: StreamingRedactor | null;
  #text = "";
  #finishReason = "stop";
  readonly #calls: { readonly id: string; readonly name: string; input: string }[] = [];

  constructor({ streams }: { readonly streams: boolean }) {
    this.#redactor = streams ? new StreamingRedactor() : null;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** The delta that a part comes to, or null where it says nothing to a client. */
  take(part: LanguageModelV4StreamPart): Delta | null {
    switch (part.type) {
      case "text-delta":
        return this.#say(this.#redactor?.push(part.delta) ?? part.delta);
      case "tool-input-start":
        return this.#begin(part.id, part.toolName);
      case "tool-input-delta":
        return this.#continue(part.id, part.delta);
      case "tool-call":
        // A provider that gave no pieces gives the whole call now.
        return this.#index(part.toolCallId) < 0 ? this.#begin(part.toolCallId, part.toolName, part.input) : null;
      case "finish":
        this.#finishReason = this.#calls.length > 0 ? "tool_calls" : finishReasons[part.finishReason.unified];
        return this.#say(this.#redactor?.end() ?? "");
      default:
        return null;
    }
  }

  /** Looks at the answer as a whole. What was shown of it cannot be taken back, but why it ended is said. */
  async check(): Promise<void> {
    if (this.#text === "") return;
    const guardrail = await loadGuardrail();
    const verdict = await guardrail.check({ stage: "output", text: this.#text });
    if (verdict.action === "block") this.refuse(withheld);
    else this.#text = verdict.text;
  }

  /** Says this and nothing else. */
  refuse(notice: string): Delta {
    this.#text = notice;
    this.#calls.length = 0;
    this.#finishReason = "content_filter";
    return { content: notice };
  }

  /** The answer as it stands. */
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

  #say(text: string): Delta | null {
    this.#text += text;
    return text ? { content: text } : null;
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
export function completion({ head, message, finish_reason, usage }: CompletionAnswer) {
  const { id, created, model } = head;
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: openaiUsage(usage),
  };
}

/** The deltas of an answer that is whole already. */
export function* deltasOf({ message: { content, tool_calls } }: CompletionAnswer): Generator<Delta, void> {
  if (content) yield { content };
  for (const [index, call] of (tool_calls ?? []).entries()) yield { tool_calls: [{ index, ...call }] };
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
