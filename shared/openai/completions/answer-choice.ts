import type { GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { isAnswerBlocked } from "../../guardrails/apply-policy.ts";
import { withheldMessage } from "../../guardrails/canned-messages.ts";
import type { AnswerProtection } from "../../guardrails/streaming-redactor.ts";
import type { Guardrail } from "../../guardrails/types.ts";
import type { ChatChoice, ChunkChoice } from "../../models/chat-chunk.ts";
import { RedactedArguments } from "../redacted-arguments.ts";
import { RedactedText, tokensOf } from "../redacted-text.ts";
import { AnswerCalls } from "./answer-calls.ts";
import { type AnsweredChoice, isTextField, reasoningFields, toText } from "./delta-fields.ts";
import { finishReasons } from "./finish-reasons.ts";
import { mergeDelta } from "./merge-delta.ts";
import { findStopSequence } from "./stop-sequence.ts";

type Fields = Record<string, unknown>;

/** Collects one choice of an answer from the deltas of a stream or from a whole message, and redacts its text. */
export class AnswerChoice {
  readonly #index: number;
  readonly #policy: GuardrailPolicy;
  #protection: AnswerProtection | undefined;
  readonly #texts = new Map<string, RedactedText>();
  readonly #calls: AnswerCalls;
  /** Arguments of the deprecated `function_call`. */
  #legacyArguments: RedactedArguments | null = null;
  #fields: Fields = {};
  #logprobs: Record<string, unknown[] | null> | null = null;
  #finishReason: string | null = null;
  #stopSequence: string | null = null;
  #hasRole = false;
  #isBlocked = false;
  #isStreamed = true;

  constructor(index: number, policy: GuardrailPolicy, protection?: AnswerProtection) {
    this.#index = index;
    this.#policy = policy;
    this.#protection = protection;
    this.#calls = new AnswerCalls(policy);
  }

  /** Content so far, after redaction, for the guardrail check. */
  get text(): string {
    return this.#texts.get("content")?.text ?? "";
  }

  /** All generated text, including tool calls, to estimate the tokens. */
  get generatedText(): string {
    const texts = [...this.#texts.values()].map(({ text }) => text);
    return [...texts, this.#calls.text, this.#legacyArguments?.text ?? ""].join("");
  }

  get isWithheld(): boolean {
    return [...this.#texts.values()].some(({ isWithheld }) => isWithheld);
  }

  get hasHeldText(): boolean {
    return this.#texts.get("content")?.isHolding ?? false;
  }

  /** Adds a choice of a provider's chunk. Returns the choices to send, each in its own chunk: some clients read one tool call of a chunk. */
  take({ delta, finish_reason, logprobs, ...choice }: ChunkChoice): ChunkChoice[] {
    if (finish_reason) this.#finishReason = finish_reason;
    this.#stopSequence = findStopSequence(choice) ?? this.#stopSequence;
    const sent: Fields = delta.content || delta.tool_calls ? this.#endReasoning() : {};
    if (!this.#hasRole) sent.role = "assistant";
    let released: unknown[] = [];
    let furtherCalls: object[][] = [];
    for (const [name, value] of Object.entries(delta)) {
      if (name === "role") continue;
      if (isTextField(name)) {
        const text = toText(value);
        if (text === null) {
          sent[name] = value;
          continue;
        }
        const result = this.#textOf(name).push(text, name === "content" ? tokensOf(logprobs) : []);
        if (name === "content") released = result.logprobs;
        if (result.text || text === "") sent[name] = `${sent[name] ?? ""}${result.text}`;
      } else if (name === "tool_calls") {
        const calls = Array.isArray(value) ? value.filter((call) => typeof call === "object" && call !== null) : [];
        const [first, ...others] = this.#calls.take(calls);
        if (first) sent.tool_calls = first;
        furtherCalls = others;
      } else {
        sent[name] = name === "function_call" ? this.#redactLegacyCall(value) : value;
        this.#fields[name] = mergeDelta(this.#fields[name], sent[name]);
      }
    }
    const logprobsToSend = this.#takeLogprobs(logprobs, released);
    if (Object.keys(sent).length === 0 && !logprobsToSend && Object.keys(choice).length < 2) return [];
    this.#hasRole = true;
    const common = { index: this.#index, finish_reason: null };
    return [
      { ...choice, ...common, delta: sent, logprobs: logprobsToSend },
      ...furtherCalls.map((tool_calls) => ({ ...common, delta: { tool_calls }, logprobs: null })),
    ];
  }

  /** Applies `protection` to all further text. Returns choices with the text that was held back so far. */
  protect(protection: AnswerProtection): ChunkChoice[] {
    this.#protection = protection;
    const held = [...this.#texts].map(([name, text]) => [name, text.restart(this.#policy, protection).text]);
    const delta = Object.fromEntries(held.filter(([, text]) => text));
    return Object.keys(delta).length > 0 ? [{ index: this.#index, delta, logprobs: null }] : [];
  }

  /** Ends the reasoning and returns the held-back rest of its text, by field name. Called when the answer's text or calls begin. */
  #endReasoning(): Fields {
    const texts = reasoningFields.map((name) => [name, this.#texts.get(name)?.end().text ?? ""]);
    return Object.fromEntries(texts.filter(([, text]) => text !== ""));
  }

  /** Adds the whole message of a response that is not streamed. */
  adopt({ message, finish_reason, logprobs, ...choice }: ChatChoice): void {
    this.#isStreamed = false;
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const tool_calls = calls.map((call, index) => call && { index, ...call });
    const delta = { ...message, tool_calls };
    this.take({ ...choice, index: this.#index, delta, finish_reason: finish_reason ?? null, logprobs });
    this.end();
  }

  /** Ends all texts and calls. Returns at most one choice with the rest that was held back. */
  end(): ChunkChoice[] {
    const rest: Fields = {};
    let released: unknown[] = [];
    for (const [name, redacted] of this.#texts) {
      const { text, logprobs } = redacted.end();
      if (name === "content") released = logprobs;
      if (text) rest[name] = text;
    }
    const calls = this.#calls.end(this.#finish === "length");
    if (calls.length > 0) rest.tool_calls = calls;
    const heldArguments = this.#legacyArguments?.end();
    if (heldArguments) {
      rest.function_call = { arguments: heldArguments };
      this.#fields.function_call = mergeDelta(this.#fields.function_call, rest.function_call);
    }
    if (Object.keys(rest).length === 0) return [];
    const logprobs = this.#takeLogprobs(released.length > 0 ? { content: [] } : null, released);
    return [{ index: this.#index, delta: rest, logprobs, finish_reason: null }];
  }

  /**
   * Appends a paragraph to an answer that ended normally with text. Returns the choice to send, or null. @param toParagraph creates the paragraph for the text of the answer; an empty text appends nothing
   */
  appendParagraph(toParagraph: (text: string) => string): ChunkChoice | null {
    const paragraph = this.#finish === "stop" && this.text !== "" ? toParagraph(this.text) : "";
    if (paragraph === "") return null;
    this.#textOf("content").text += paragraph;
    return { index: this.#index, delta: { content: paragraph }, logprobs: null, finish_reason: null };
  }

  /** Checks the findings and the text of the complete answer. A blocked one gets the finish reason `content_filter`. @param question text of the latest user message */
  async check(guardrail: Guardrail, question: string): Promise<void> {
    if (this.isWithheld) this.#isBlocked = true;
    const findings = [...this.#texts.values(), this.#calls, this.#legacyArguments].flatMap(
      (redacted) => redacted?.findings ?? [],
    );
    if (isAnswerBlocked(this.#policy, findings)) {
      this.refuse(withheldMessage);
      return;
    }
    if (this.text === "") return;
    const verdict = await guardrail.check({ stage: "output", text: this.text, question });
    if (verdict.action === "block") this.refuse(withheldMessage);
    else if (verdict.text !== this.text) {
      this.#textOf("content").text = verdict.text;
      this.#logprobs = null;
    }
  }

  /** Replaces the answer with `message` and sets the finish reason `content_filter`. */
  refuse(message: string): ChunkChoice {
    this.#isBlocked = true;
    this.#fields = {};
    this.#calls.clear();
    this.#legacyArguments = null;
    this.#texts.clear();
    this.#textOf("content").text = message;
    this.#logprobs = null;
    return {
      index: this.#index,
      delta: { role: "assistant", content: message, refusal: null },
      logprobs: null,
      finish_reason: null,
    };
  }

  answer(): AnsweredChoice {
    const text = (name: string) => this.#texts.get(name)?.text;
    const { content: _, ...others } = Object.fromEntries(
      [...this.#texts].map(([name, { text }]) => [name, text || null]),
    );
    const content = text("content") || (this.#calls.length === 0 && !text("refusal") ? (text("content") ?? "") : null);
    const message = {
      role: "assistant",
      content,
      refusal: null,
      ...this.#fields,
      ...others,
      ...(this.#calls.length > 0 && { tool_calls: this.#calls.list() }),
    };
    const stop_reason = this.#isBlocked ? null : this.#stopSequence;
    const end = { finish_reason: this.#finish, ...(stop_reason && { stop_reason }) };
    return { index: this.#index, message, logprobs: this.#logprobs, ...end };
  }

  get #finish(): string {
    if (this.#isBlocked) return "content_filter";
    const reason = finishReasons[this.#finishReason?.toLowerCase() ?? ""];
    // Some servers end calls with `stop`, after which clients do not execute them.
    if (this.#calls.length > 0 && reason === "stop") return "tool_calls";
    return reason ?? (this.#calls.length > 0 ? "tool_calls" : "stop");
  }

  #textOf(name: string): RedactedText {
    let text = this.#texts.get(name);
    if (!text) {
      text = new RedactedText(this.#policy, this.#isStreamed, this.#protection);
      this.#texts.set(name, text);
    }
    return text;
  }

  #redactLegacyCall(delta: unknown): unknown {
    const { arguments: added } = (delta ?? {}) as Fields;
    if (typeof added !== "string") return delta;
    this.#legacyArguments ??= new RedactedArguments(this.#policy);
    return { ...(delta as Fields), arguments: this.#legacyArguments.push(added) };
  }

  #takeLogprobs(logprobs: unknown, released: unknown[]): unknown {
    if (typeof logprobs !== "object" || logprobs === null) {
      if (released.length === 0) return null;
      logprobs = {};
    }
    const { content: _, ...others } = logprobs as Record<string, unknown[]>;
    // OpenAI's schema requires both fields, and not every provider sends `refusal`.
    const sent: Record<string, unknown> = { refusal: null, ...others, content: released };
    this.#logprobs ??= {};
    for (const [name, values] of Object.entries(sent)) {
      const collected = this.#logprobs[name];
      if (!Array.isArray(values)) this.#logprobs[name] ??= null;
      else if (collected) collected.push(...values);
      else this.#logprobs[name] = [...values];
    }
    return sent;
  }
}
