import type { Usage } from "../../api/conversations/messages.ts";
import { defaultGuardrailPolicy, type GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import type { AnswerProtection } from "../../guardrails/streaming-redactor.ts";
import type { ChatChunk, ChatCompletion, ChunkChoice, ReportedUsage } from "../../models/chat-chunk.ts";
import { AnswerChoice } from "./answer-choice.ts";
import type { AnsweredChoice } from "./delta-fields.ts";

/** Fields that all chunks of a completion share. */
export interface CompletionHead {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** Slug of the persona's endpoint. */
  readonly model: string;
}

/** Chunk to send, without the fields of the head and the usage. */
export type Delta = Readonly<Record<string, unknown>> & { readonly choices: readonly ChunkChoice[] };

/** Usage as callers receive it: the provider's own with all details, or an estimate with a mark. */
export type OpenaiUsage = ReportedUsage & {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly estimated?: true;
};

/** Finished answer, from which a response or a stream can be created again. */
export interface CompletionAnswer {
  readonly head: CompletionHead;
  readonly choices: readonly AnsweredChoice[];
  /** Other fields of the provider's response, such as `system_fingerprint` and `service_tier`. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly reported: OpenaiUsage;
  /** Usage to record. */
  readonly usage: Usage;
}

/** Fields of a provider's response that this service sets itself, or that would reveal the provider. */
const ownFields: ReadonlySet<string> = new Set(["id", "object", "created", "model", "choices", "usage", "provider"]);

function selectFields(chunk: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const selected: Record<string, unknown> = {};
  for (const name in chunk) if (!ownFields.has(name)) selected[name] = chunk[name];
  return selected;
}

/** Converts a model's chunks to those that callers receive: redacts sensitive data and collects the answer. */
export class CompletionWriter {
  readonly #policy: GuardrailPolicy;
  #protection: AnswerProtection | undefined;
  readonly #choices = new Map<number, AnswerChoice>();
  #fields: Record<string, unknown> = {};
  /** Usage that the provider reported. */
  reported: ReportedUsage | undefined;

  constructor(policy: GuardrailPolicy = defaultGuardrailPolicy, protection?: AnswerProtection) {
    this.#policy = policy;
    this.#protection = protection;
  }

  /** Text that the model generated, to estimate its tokens. */
  get generatedText(): string {
    return [...this.#choices.values()].map(({ generatedText }) => generatedText).join("");
  }

  /** True if the answer revealed the instructions, so that the rest of it is withheld. */
  get isWithheld(): boolean {
    return [...this.#choices.values()].some(({ isWithheld }) => isWithheld);
  }

  /** True if an end of a text is held back because it may become sensitive data. */
  get hasHeldText(): boolean {
    return [...this.#choices.values()].some(({ hasHeldText }) => hasHeldText);
  }

  /** Adds a model's chunk and returns the chunks to send. */
  take(chunk: ChatChunk): Delta[] {
    if (chunk.usage) this.reported = chunk.usage;
    const taken = chunk.choices.map((choice) => this.#choiceOf(choice.index).take(choice));
    const fields = selectFields(chunk);
    Object.assign(this.#fields, fields);
    const choices = taken.flatMap(([first]) => first ?? []);
    const further = taken.flatMap(([, ...others]) => others);
    return [...(choices.length > 0 ? [choices] : []), ...further.map((choice) => [choice])].map((list) => ({
      ...fields,
      choices: list,
    }));
  }

  /**
   * Applies another protection to the text that follows, because the model has read more. Returns the chunks with the text
   * that was held back.
   */
  protect(protection: AnswerProtection): Delta[] {
    this.#protection = protection;
    const choices = [...this.#choices.values()].flatMap((choice) => choice.protect(protection));
    return choices.map((choice) => ({ choices: [choice] }));
  }

  /** Sets the response of a model that does not stream. */
  adopt(completion: ChatCompletion): void {
    if (completion.usage) this.reported = completion.usage;
    for (const choice of completion.choices) this.#choiceOf(choice.index).adopt(choice);
    this.#fields = selectFields(completion);
  }

  /** Ends the answer and returns the chunks with the text that was held back. */
  end(): Delta[] {
    const { obfuscation: _, ...fields } = this.#fields;
    return [...this.#choices.values()].flatMap((choice) =>
      choice.end().map((rest) => ({ ...fields, choices: [rest] })),
    );
  }

  /** Adds a paragraph of this service to each plain text answer. Returns the chunks to send. */
  appendParagraph(toParagraph: (text: string) => string): Delta[] {
    const choices = [...this.#choices.values()].map((choice) => choice.appendParagraph(toParagraph));
    return choices.flatMap((choice) => (choice ? [{ choices: [choice] }] : []));
  }

  /** Checks the complete answer to a question. */
  async check(question: string): Promise<void> {
    const guardrail = await loadGuardrail(this.#policy);
    await Promise.all([...this.#choices.values()].map((choice) => choice.check(guardrail, question)));
  }

  /** Replaces the answer with a message of this service. */
  refuse(message: string): Delta {
    return { choices: [this.#choiceOf(0).refuse(message)] };
  }

  answer(head: CompletionHead, usage: Usage): CompletionAnswer {
    if (this.#choices.size === 0) this.#choiceOf(0);
    const { obfuscation: _, ...fields } = this.#fields;
    const choices = [...this.#choices.values()].map((choice) => choice.answer()).sort((a, b) => a.index - b.index);
    return { head, choices, fields, usage, reported: toOpenaiUsage(usage, this.reported) };
  }

  #choiceOf(index: number): AnswerChoice {
    let choice = this.#choices.get(index);
    if (!choice) {
      choice = new AnswerChoice(index, this.#policy, this.#protection);
      this.#choices.set(index, choice);
    }
    return choice;
  }
}

/** Returns the usage in OpenAI's format: the provider's with all details, or the marked estimate. */
function toOpenaiUsage(
  { input_tokens, output_tokens, total_tokens }: Usage,
  reported: ReportedUsage | undefined,
): OpenaiUsage {
  const totals = { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens };
  const isComplete = reported?.prompt_tokens !== undefined && reported.completion_tokens !== undefined;
  if (isComplete) return { ...reported, ...totals, total_tokens: reported.total_tokens ?? total_tokens };
  return total_tokens > 0 ? { ...reported, ...totals, estimated: true } : totals;
}

/** Converts an answer to OpenAI's schema. */
export function toChatCompletion({ head, choices, fields, reported }: CompletionAnswer) {
  const { id, created, model } = head;
  return { ...fields, id, object: "chat.completion", created, model, choices, usage: reported };
}

/** Converts a finished answer to chunks. */
export function* toDeltas({ choices, fields }: CompletionAnswer): Generator<Delta, void> {
  for (const { index, message, logprobs } of choices) {
    const { tool_calls, ...others } = message;
    const calls = (tool_calls as object[] | undefined)?.map((call, position) => ({ index: position, ...call }));
    const delta = { ...others, ...(calls && { tool_calls: calls }) };
    yield { ...fields, choices: [{ index, delta, logprobs, finish_reason: null }] };
  }
}

/** Formats one event of OpenAI's stream. */
export function formatChunk(head: CompletionHead, fields: Readonly<Record<string, unknown>>): string {
  const { id, created, model } = head;
  return `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...fields })}\n\n`;
}
