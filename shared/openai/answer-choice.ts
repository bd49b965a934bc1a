import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { withheldMessage } from "../guardrails/canned-messages.ts";
import type { Guardrail } from "../guardrails/types.ts";
import type { ChatChoice, ChunkChoice } from "../models/chat-chunk.ts";
import { RedactedArguments } from "./redacted-arguments.ts";
import { RedactedText, tokensOf } from "./redacted-text.ts";

type Fields = Record<string, unknown>;

/** Choice of a finished answer. */
export interface AnsweredChoice {
  readonly index: number;
  readonly message: Readonly<Fields>;
  readonly logprobs: unknown;
  readonly finish_reason: string;
}

/** Message fields whose text is redacted by the output checks. */
const textFields = ["content", "refusal", "reasoning_content", "reasoning"] as const;
const isTextField = (name: string) => (textFields as readonly string[]).includes(name);

const finishReasons: ReadonlySet<unknown> = new Set([
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "function_call",
]);

interface PartialCall {
  id?: string;
  function?: { name?: string; arguments?: string };
  [field: string]: unknown;
}

/** Returns the text of a value; null if it has none. Some providers send a list of parts. */
function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => String((part as Fields | null)?.text ?? "")).join("") : null;
}

const singleValues: ReadonlySet<string> = new Set(["id", "type", "index", "name"]);

/** Merges the delta of a field into its value: text is appended, lists are concatenated, objects are merged. */
function merge(value: unknown, delta: unknown): unknown {
  if (typeof value === "string" && typeof delta === "string") return value + delta;
  if (Array.isArray(value) && Array.isArray(delta)) return [...value, ...delta];
  if (typeof value !== "object" || typeof delta !== "object" || !value || !delta) return delta ?? value;
  const merged: Fields = { ...value };
  for (const [name, part] of Object.entries(delta)) {
    merged[name] = singleValues.has(name) ? (part ?? merged[name]) : merge(merged[name], part);
  }
  return merged;
}

/** Collects one choice of an answer from its deltas or its message, and redacts its text. */
export class AnswerChoice {
  readonly #index: number;
  readonly #policy: GuardrailPolicy;
  readonly #texts = new Map<string, RedactedText>();
  readonly #calls: PartialCall[] = [];
  readonly #arguments: RedactedArguments[] = [];
  #fields: Fields = {};
  #logprobs: Record<string, unknown[] | null> | null = null;
  #finishReason: string | null = null;
  #hasRole = false;
  #isBlocked = false;
  #isStreamed = true;

  constructor(index: number, policy: GuardrailPolicy) {
    this.#index = index;
    this.#policy = policy;
  }

  /** Text for the guardrail check. */
  get text(): string {
    return this.#texts.get("content")?.text ?? "";
  }

  /** All generated text, including tool calls, to estimate the tokens. */
  get generatedText(): string {
    const texts = [...this.#texts.values()].map(({ text }) => text);
    return [...texts, ...this.#calls.map((call) => call.function?.arguments ?? "")].join("");
  }

  /** Adds a choice of a chunk, and returns the choice to send to the caller; null if there is nothing to send. */
  take({ delta, finish_reason, logprobs, ...choice }: ChunkChoice): ChunkChoice | null {
    if (finish_reason) this.#finishReason = finish_reason;
    const sent: Fields = {};
    if (!this.#hasRole) sent.role = "assistant";
    let released: unknown[] = [];
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
        if (result.text || text === "") sent[name] = result.text;
      } else if (name === "tool_calls") {
        if (Array.isArray(value) && value.length > 0) sent.tool_calls = value.map((call) => this.#takeCall(call));
      } else {
        this.#fields[name] = merge(this.#fields[name], value);
        sent[name] = value;
      }
    }
    const logprobsToSend = this.#takeLogprobs(logprobs, released);
    if (Object.keys(sent).length === 0 && !logprobsToSend && Object.keys(choice).length < 2) return null;
    this.#hasRole = true;
    return { ...choice, index: this.#index, delta: sent, logprobs: logprobsToSend, finish_reason: null };
  }

  /** Sets the message of a response that is not streamed. */
  adopt({ message, finish_reason, logprobs }: ChatChoice): void {
    this.#isStreamed = false;
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const tool_calls = calls.map((call, index) => ({ index, ...call }));
    const delta = { ...message, tool_calls };
    this.take({ index: this.#index, delta, finish_reason: finish_reason ?? null, logprobs });
    this.end();
  }

  /** Ends the text. Returns the choices with the text that was held back, and the finish reason. */
  end(): ChunkChoice[] {
    const rest: Fields = {};
    let released: unknown[] = [];
    for (const [name, redacted] of this.#texts) {
      const { text, logprobs } = redacted.end();
      if (name === "content") released = logprobs;
      if (text) rest[name] = text;
    }
    const heldCalls = this.#arguments.flatMap((text, index) => {
      const held = text.end();
      const call = this.#calls[index]?.function;
      if (!held || !call) return [];
      call.arguments = text.text;
      return [{ index, function: { arguments: held } }];
    });
    if (heldCalls.length > 0) rest.tool_calls = heldCalls;
    const unfilled = this.#finish === "length" ? [] : this.#calls.filter((call) => !call.function?.arguments);
    for (const call of unfilled) if (call.function) call.function.arguments = "{}";
    if (unfilled.length > 0) {
      const filled = unfilled.map((call) => ({ index: this.#calls.indexOf(call), function: { arguments: "{}" } }));
      rest.tool_calls = [...heldCalls, ...filled];
    }
    if (Object.keys(rest).length === 0) return [];
    const logprobs = this.#takeLogprobs(released.length > 0 ? { content: [] } : null, released);
    return [{ index: this.#index, delta: rest, logprobs, finish_reason: null }];
  }

  /**
   * Checks the complete text with the guardrail. Text that was streamed cannot be withdrawn, but the finish reason
   * `content_filter` reports that it should be blocked.
   */
  async check(guardrail: Guardrail): Promise<void> {
    if (this.text === "") return;
    const verdict = await guardrail.check({ stage: "output", text: this.text });
    if (verdict.action === "block") this.refuse(withheldMessage);
    else if (verdict.text !== this.text) {
      this.#textOf("content").text = verdict.text;
      this.#logprobs = null;
    }
  }

  /** Replaces the answer with a message of this service. */
  refuse(message: string): ChunkChoice {
    this.#isBlocked = true;
    this.#fields = {};
    this.#calls.length = this.#arguments.length = 0;
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

  /** Returns the choice so far. */
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
      ...(this.#calls.length > 0 && { tool_calls: this.#calls.map(({ index: _, ...call }) => call) }),
    };
    return { index: this.#index, message, logprobs: this.#logprobs, finish_reason: this.#finish };
  }

  get #finish(): string {
    if (this.#isBlocked) return "content_filter";
    if (finishReasons.has(this.#finishReason)) return this.#finishReason as string;
    return this.#calls.length > 0 ? "tool_calls" : "stop";
  }

  #textOf(name: string): RedactedText {
    let text = this.#texts.get(name);
    if (!text) {
      text = new RedactedText(this.#policy, this.#isStreamed);
      this.#texts.set(name, text);
    }
    return text;
  }

  /** Adds the delta of a tool call. Some providers omit the index of the call; an id then starts a new call. */
  #takeCall(delta: PartialCall & { index?: number }): PartialCall {
    const last = this.#calls.length - 1;
    const index = typeof delta.index === "number" ? delta.index : delta.id || last < 0 ? last + 1 : last;
    this.#calls[index] = merge(this.#calls[index] ?? {}, delta) as PartialCall;
    const call = this.#calls[index];
    if (call.id && call.function && call.type === undefined) call.type = "function";
    if (!call.function || typeof delta.function?.arguments !== "string") return { ...delta, index };
    this.#arguments[index] ??= new RedactedArguments(this.#policy);
    const emitted = this.#arguments[index].push(delta.function.arguments);
    call.function.arguments = this.#arguments[index].text;
    return { ...delta, index, function: { ...delta.function, arguments: emitted } };
  }

  #takeLogprobs(logprobs: unknown, released: unknown[]): unknown {
    if (typeof logprobs !== "object" || logprobs === null) {
      if (released.length === 0) return null;
      logprobs = {};
    }
    const { content: _, ...others } = logprobs as Record<string, unknown[]>;
    const sent: Record<string, unknown> = { ...others, content: released };
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
