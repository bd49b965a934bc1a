import type { Usage } from "../../api/conversations/messages.ts";
import { defaultGuardrailPolicy, type GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import type { AnswerProtection } from "../../guardrails/streaming-redactor.ts";
import type { ChatChunk, ChatCompletion, ChunkChoice, ReportedUsage } from "../../models/chat-chunk.ts";
import { AnswerChoice } from "./answer-choice.ts";
import type { AnsweredChoice } from "./delta-fields.ts";

/** Fields that are equal in all chunks of a completion. */
export interface CompletionHead {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** Slug of the persona's endpoint. */
  readonly model: string;
}

/** Chunk to send to the caller, without its usage and the fields of `CompletionHead`. */
export type Delta = Readonly<Record<string, unknown>> & { readonly choices: readonly ChunkChoice[] };

/** Usage that callers receive: that of the provider with all details, or an estimate with `estimated: true`. */
export type OpenaiUsage = ReportedUsage & {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly estimated?: true;
};

/** Complete answer, in the form in which it is stored for retries. */
export interface CompletionAnswer {
  readonly head: CompletionHead;
  readonly choices: readonly AnsweredChoice[];
  /** Other fields of the provider's response, such as `system_fingerprint` and `service_tier`. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly reported: OpenaiUsage;
  /** Usage and cost to record for billing. */
  readonly usage: Usage;
}

/**
 * Fields of a provider's response that are not forwarded: this service sets them itself, or they would reveal the
 * provider.
 */
const ownFields: ReadonlySet<string> = new Set(["id", "object", "created", "model", "choices", "usage", "provider"]);

function selectFields(chunk: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const selected: Record<string, unknown> = {};
  for (const name in chunk) if (!ownFields.has(name)) selected[name] = chunk[name];
  return selected;
}

/**
 * Converts a provider's chunks to the chunks for the caller: redacts sensitive data and collects the complete answer.
 */
export class CompletionWriter {
  readonly #policy: GuardrailPolicy;
  #protection: AnswerProtection | undefined;
  readonly #choices = new Map<number, AnswerChoice>();
  #fields: Record<string, unknown> = {};
  /** Usage that the provider reported; undefined if it reported none yet. */
  reported: ReportedUsage | undefined;

  constructor(policy: GuardrailPolicy = defaultGuardrailPolicy, protection?: AnswerProtection) {
    this.#policy = policy;
    this.#protection = protection;
  }

  /** All text that the model generated, for estimating its tokens if the provider reports no usage. */
  get generatedText(): string {
    return [...this.#choices.values()].map(({ generatedText }) => generatedText).join("");
  }

  /** True if the answer revealed the instructions, after which the rest of it is not sent. */
  get isWithheld(): boolean {
    return [...this.#choices.values()].some(({ isWithheld }) => isWithheld);
  }

  /** True while the end of a text is held back, because it may be the start of sensitive data. */
  get hasHeldText(): boolean {
    return [...this.#choices.values()].some(({ hasHeldText }) => hasHeldText);
  }

  /** Adds a provider's chunk and returns the chunks to send to the caller. */
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
   * Applies `protection` to all further text, because the model has read tool results in addition. Returns chunks with
   * the text that was held back so far.
   */
  protect(protection: AnswerProtection): Delta[] {
    this.#protection = protection;
    const choices = [...this.#choices.values()].flatMap((choice) => choice.protect(protection));
    return choices.map((choice) => ({ choices: [choice] }));
  }

  /** Adds the whole response of a provider, for requests that are not streamed. */
  adopt(completion: ChatCompletion): void {
    if (completion.usage) this.reported = completion.usage;
    for (const choice of completion.choices) this.#choiceOf(choice.index).adopt(choice);
    this.#fields = selectFields(completion);
  }

  /** Ends the answer and returns the chunks with the rest that was held back. */
  end(): Delta[] {
    const { obfuscation: _, ...fields } = this.#fields;
    return [...this.#choices.values()].flatMap((choice) =>
      choice.end().map((rest) => ({ ...fields, choices: [rest] })),
    );
  }

  /** Appends a paragraph to each choice that ended normally with text. Returns the chunks to send. */
  appendParagraph(toParagraph: (text: string) => string): Delta[] {
    const choices = [...this.#choices.values()].map((choice) => choice.appendParagraph(toParagraph));
    return choices.flatMap((choice) => (choice ? [{ choices: [choice] }] : []));
  }

  /**
   * Checks the complete answer with the guardrail. A blocked choice gets the finish reason `content_filter`.
   * @param question text of the latest user message
   */
  async check(question: string): Promise<void> {
    const guardrail = await loadGuardrail(this.#policy);
    await Promise.all([...this.#choices.values()].map((choice) => choice.check(guardrail, question)));
  }

  /** Replaces the answer with `message` and the finish reason `content_filter`. Returns the chunk to send. */
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

/**
 * Returns the usage in OpenAI's format: that of the provider with all details, or the estimate with `estimated: true`
 * if the provider reported no complete usage.
 */
function toOpenaiUsage(
  { input_tokens, output_tokens, total_tokens }: Usage,
  reported: ReportedUsage | undefined,
): OpenaiUsage {
  const totals = { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens };
  const isComplete = reported?.prompt_tokens !== undefined && reported.completion_tokens !== undefined;
  if (isComplete) return { ...reported, ...totals, total_tokens: reported.total_tokens ?? total_tokens };
  return total_tokens > 0 ? { ...reported, ...totals, estimated: true } : totals;
}
