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

/** OpenAI's finish reasons by those of providers. Any other reason becomes `tool_calls` or `stop`. */
const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  function_call: "function_call",
  max_tokens: "length",
  model_length: "length",
  // The provider ended the answer early, for example because its server was stopped.
  abort: "length",
  error: "length",
  safety: "content_filter",
};

interface PartialCall {
  id?: string;
  function?: { name?: string; arguments?: string };
  /** Call of a tool that takes text. */
  custom?: { name?: string; input?: string };
  [field: string]: unknown;
}

/** Returns what a call passes to its tool; undefined before the first part of it. */
const payloadOf = ({ function: called, custom }: PartialCall): string | undefined => called?.arguments ?? custom?.input;

/** Some providers send several calls with one index. An id without a name does not start a call: some repeat a random one. */
const startsAnotherCall = (call: PartialCall | undefined, { id, function: called, custom }: PartialCall) =>
  Boolean(id && call?.id && id !== call.id && (called?.name || custom?.name));

/** Returns a call, or the delta of one, with another payload. */
function withPayload(call: PartialCall, payload: string): PartialCall {
  if (call.custom) return { ...call, custom: { ...call.custom, input: payload } };
  return { ...call, function: { ...call.function, arguments: payload } };
}

/** Moves the thinking parts of a content, as Mistral sends them, to the reasoning. */
function separateThinking(delta: Readonly<Fields>): Readonly<Fields> {
  const { content } = delta;
  if (!Array.isArray(content)) return delta;
  const thinking = content.filter((part) => part?.type === "thinking");
  if (thinking.length === 0) return delta;
  const reasoning_content = thinking.map((part) => toText(part.thinking) ?? "").join("");
  return { ...delta, content: content.filter((part) => part?.type !== "thinking"), reasoning_content };
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

/** Returns true if a delta has text or tool calls. */
const hasAnswer = (delta: Readonly<Fields>) =>
  textFields.some((name) => delta[name]) || (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0);

/** Collects one choice of an answer from its deltas or its message, and redacts its text. */
export class AnswerChoice {
  readonly #index: number;
  readonly #policy: GuardrailPolicy;
  readonly #texts = new Map<string, RedactedText>();
  readonly #calls: PartialCall[] = [];
  /** Positions in `#calls` by the index that the provider gave a call. */
  readonly #positions = new Map<number, number>();
  readonly #payloads: RedactedArguments[] = [];
  /** Arguments of the deprecated `function_call`. */
  #legacyArguments: RedactedArguments | null = null;
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
    const payloads = this.#calls.map((call) => payloadOf(call) ?? "");
    return [...texts, ...payloads, this.#legacyArguments?.text ?? ""].join("");
  }

  /** Adds a choice of a chunk, and returns the choice to send to the caller; null if there is nothing to send. */
  take({ delta: received, finish_reason, logprobs, ...choice }: ChunkChoice): ChunkChoice | null {
    const delta = separateThinking(received);
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
        sent[name] = name === "function_call" ? this.#redactLegacyCall(value) : value;
        this.#fields[name] = merge(this.#fields[name], sent[name]);
      }
    }
    if (hasAnswer(delta)) {
      // The end of a text that was held back belongs before what follows it.
      for (const [name, redacted] of this.#texts) {
        if (delta[name]) continue;
        const rest = redacted.end();
        if (name === "content") released = rest.logprobs;
        if (rest.text) sent[name] = rest.text;
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
    const heldCalls = this.#payloads.flatMap((payload, index) => {
      const held = payload.end();
      const call = this.#calls[index];
      if (!held || !call) return [];
      this.#calls[index] = withPayload(call, payload.text);
      const part = call.custom ? { custom: { input: held } } : { function: { arguments: held } };
      return [{ index, ...part }];
    });
    const unfilled =
      this.#finish === "length" ? [] : this.#calls.filter((call) => call.function && !call.function.arguments);
    const filled = unfilled.map((call) => ({ index: this.#calls.indexOf(call), function: { arguments: "{}" } }));
    for (const { index } of filled) this.#calls[index] = withPayload(this.#calls[index] ?? {}, "{}");
    if (heldCalls.length + filled.length > 0) rest.tool_calls = [...heldCalls, ...filled];
    const heldArguments = this.#legacyArguments?.end();
    if (heldArguments) {
      rest.function_call = { arguments: heldArguments };
      this.#fields.function_call = merge(this.#fields.function_call, rest.function_call);
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
    this.#calls.length = this.#payloads.length = 0;
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
    const reason = finishReasons[this.#finishReason?.toLowerCase() ?? ""];
    if (reason) return reason;
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

  /** Returns the position of the call that a delta belongs to. */
  #positionOf(delta: PartialCall & { index?: number }): number {
    const next = this.#calls.length;
    // Some providers omit the index of a call; an id then starts a new one.
    if (typeof delta.index !== "number") return delta.id || next === 0 ? next : next - 1;
    const position = this.#positions.get(delta.index);
    const isSame = position !== undefined && !startsAnotherCall(this.#calls[position], delta);
    if (isSame) return position;
    this.#positions.set(delta.index, next);
    return next;
  }

  /** Adds the delta of a tool call. */
  #takeCall(delta: PartialCall & { index?: number }): PartialCall {
    const index = this.#positionOf(delta);
    this.#calls[index] = merge(this.#calls[index] ?? {}, delta) as PartialCall;
    const call = this.#calls[index];
    if (call.id && call.function && call.type === undefined) call.type = "function";
    const added = payloadOf(delta);
    if (typeof added !== "string") return { ...delta, index };
    this.#payloads[index] ??= new RedactedArguments(this.#policy, { isJson: !call.custom });
    const emitted = this.#payloads[index].push(added);
    this.#calls[index] = withPayload(call, this.#payloads[index].text);
    return { ...withPayload(delta, emitted), index };
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
