import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { ServiceError } from "../lib/errors.ts";
import { loadModel } from "./model.ts";
import { providerError } from "./provider-error.ts";

/** How patient a caller is with a provider, in milliseconds. */
export interface StreamLimits {
  /** Until the first piece of an answer, be it reasoning. */
  readonly firstToken: number;
  /** Between one piece and the next. */
  readonly silence: number;
}

/** Models that think unseen take most of a minute before they speak; once they speak, they do not pause for long. */
const streamLimits: StreamLimits = { firstToken: 90_000, silence: 45_000 };

/** An answer that has begun. */
export interface OpenedStream {
  /** The model that answers. */
  readonly modelId: string;
  /** Whether it answers in place of the first one. */
  readonly fellBack: boolean;
  /**
   * What the model says, from the beginning, without `error` parts: its failures are thrown.
   * @throws ServiceError as `providerError` tells; the reason of the caller's signal once that is aborted
   */
  readonly stream: AsyncGenerator<LanguageModelV4StreamPart, void>;
}

type Part = LanguageModelV4StreamPart;

/** What the parts before an answer are; everything else is part of it. */
const preliminary: ReadonlySet<Part["type"]> = new Set([
  "stream-start",
  "response-metadata",
  "raw",
  "text-start",
  "reasoning-start",
]);

function begins(part: Part): boolean {
  return !preliminary.has(part.type) && !("delta" in part && part.delta === "");
}

/** A provider's stream under supervision: limits, cancellation, failures as errors. */
class Supervised {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #silence: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#controller.abort(this.#caller?.reason);
  #begun = false;
  /** On the clock of `performance.now`, while the provider is waited for; how long the caller takes is its own affair. */
  #deadline: number;
  #reader: ReadableStreamDefaultReader<Part> | undefined;

  constructor(caller: AbortSignal | undefined, limits: StreamLimits) {
    this.#caller = caller;
    this.#silence = limits.silence;
    this.#deadline = performance.now() + limits.firstToken;
    // One timer for all parts, late by a fraction at most: a timer for each part would cost more than the part.
    const step = Math.max(1, Math.min(limits.firstToken, limits.silence) / 20);
    this.#timer = setInterval(() => this.#tick(), step);
    this.#timer.unref();
    caller?.addEventListener("abort", this.#onAbort, { once: true });
    if (caller?.aborted) this.#onAbort();
    this.#controller.signal.addEventListener("abort", () => void this.#cancel(), { once: true });
  }

  #tick(): void {
    if (performance.now() < this.#deadline) return;
    this.#controller.abort(new ServiceError("timeout", "The language model did not answer in time."));
  }

  async #cancel(): Promise<void> {
    await this.#reader?.cancel(this.#controller.signal.reason).catch(() => {});
  }

  async open(modelId: string, options: LanguageModelV4CallOptions): Promise<void> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    const model = await loadModel(modelId);
    const { stream } = await model.doStream({ ...options, abortSignal: signal });
    this.#reader = stream.getReader();
    if (signal.aborted) await this.#cancel();
  }

  /** The next part; null at the end. */
  async next(): Promise<Part | null> {
    if (this.#begun) this.#deadline = performance.now() + this.#silence;
    const next = await this.#reader?.read();
    this.#controller.signal.throwIfAborted();
    if (!next || next.done) return null;
    const part = next.value;
    if (part.type === "error") throw part.error;
    this.#begun ||= begins(part);
    if (this.#begun) this.#deadline = Number.POSITIVE_INFINITY;
    // A stream of Bedrock's that was cut between two messages ends like this: nothing said why it ended.
    if (part.type === "finish" && part.finishReason.unified === "other" && part.finishReason.raw === undefined) {
      throw new ServiceError("unavailable", "The connection to the language model was lost.");
    }
    return part;
  }

  /** What is to be told of an error: the caller's own reason where the caller ended it. */
  failure(error: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    const { aborted, reason } = this.#controller.signal;
    return providerError(aborted ? reason : error);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
    await this.#cancel();
    this.#controller.abort();
  }
}

/** The parts up to the first one of the answer. */
async function firstParts(source: Supervised): Promise<Part[]> {
  const parts: Part[] = [];
  for (let part = await source.next(); part; part = await source.next()) {
    parts.push(part);
    if (part.type === "finish") break;
    if (begins(part)) return parts;
  }
  throw new ServiceError("model_error", "The model gave no answer.");
}

async function* partsOf(first: readonly Part[], source: Supervised): AsyncGenerator<Part, void> {
  let finished = false;
  try {
    for (const part of first) {
      finished ||= part.type === "finish";
      yield part;
    }
    for (let part = await source.next(); part; part = await source.next()) {
      finished ||= part.type === "finish";
      yield part;
    }
    if (!finished) throw new ServiceError("unavailable", "The connection to the language model was lost.");
  } catch (error) {
    throw source.failure(error);
  } finally {
    await source.close();
  }
}

async function openOne(
  modelId: string,
  options: LanguageModelV4CallOptions,
  limits: StreamLimits,
): Promise<OpenedStream["stream"]> {
  const source = new Supervised(options.abortSignal, limits);
  try {
    await source.open(modelId, options);
    return partsOf(await firstParts(source), source);
  } catch (error) {
    const failure = source.failure(error);
    await source.close();
    throw failure;
  }
}

/** What the first model gives that does not fail. @throws what the first of all gave, for it was configured to answer */
async function firstToSucceed<Result>(
  models: readonly [string, ...string[]],
  { abortSignal }: LanguageModelV4CallOptions,
  ask: (modelId: string) => Promise<Result>,
): Promise<{ modelId: string; fellBack: boolean; result: Result }> {
  let first: unknown;
  for (const [index, modelId] of models.entries()) {
    try {
      return { modelId, fellBack: index > 0, result: await ask(modelId) };
    } catch (error) {
      abortSignal?.throwIfAborted();
      first ??= error;
    }
  }
  throw first;
}

/**
 * Asks the models one after another until one begins to answer; a model fails here by refusing, by breaking off or
 * by keeping silent before its first piece. What comes after that piece is the answer, whole or not: it is never
 * begun again elsewhere.
 * @throws ServiceError of the first model when all fail
 */
export async function openStream(
  models: readonly [string, ...string[]],
  options: LanguageModelV4CallOptions,
  limits: StreamLimits = streamLimits,
): Promise<OpenedStream> {
  const { result: stream, ...model } = await firstToSucceed(models, options, (id) => openOne(id, options, limits));
  return { ...model, stream };
}

async function askOne(modelId: string, options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
  try {
    const model = await loadModel(modelId);
    const answer = await model.doGenerate(options);
    if (answer.content.length === 0) throw new ServiceError("model_error", "The model gave no answer.");
    return answer;
  } catch (error) {
    throw providerError(error);
  }
}

async function* partsOfWhole({ content, finishReason, usage }: LanguageModelV4GenerateResult): OpenedStream["stream"] {
  for (const part of content) {
    if (part.type === "text") yield { type: "text-delta", id: "0", delta: part.text };
    else if (part.type === "tool-call") yield part;
  }
  yield { type: "finish", finishReason, usage };
}

/** How long a whole answer may take, in milliseconds: CloudFront gives an origin up that is silent for a minute. */
const wholeAnswer = 50_000;

/** Another try would take as long again, and be paid for again. */
const tookTooLong = () =>
  new ServiceError("timeout", "The answer takes longer than a whole reply may. Set `stream` to true to get it.", {
    headers: { "x-should-retry": "false" },
  });

/**
 * Asks the models one after another until one answers, for somebody who wants the answer at once: the provider then
 * sends it at once, which is less to read.
 * @param patience for all of them together, in milliseconds
 * @throws ServiceError of the first model when all fail; `timeout`
 */
export async function askWhole(
  models: readonly [string, ...string[]],
  options: LanguageModelV4CallOptions,
  patience = wholeAnswer,
): Promise<OpenedStream> {
  const deadline = AbortSignal.timeout(patience);
  const abortSignal = options.abortSignal ? AbortSignal.any([options.abortSignal, deadline]) : deadline;
  const limited = { ...options, abortSignal };
  try {
    const { result, ...model } = await firstToSucceed(models, limited, (id) => askOne(id, limited));
    return { ...model, stream: partsOfWhole(result) };
  } catch (error) {
    throw deadline.aborted ? tookTooLong() : error;
  }
}
