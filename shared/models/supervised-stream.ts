import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ServiceError } from "../lib/errors.ts";
import { loadModel } from "./model.ts";
import { providerError } from "./provider-error.ts";

export interface StreamTimeouts {
  /** Time until the first part of an answer, reasoning included. */
  readonly firstTokenMs: number;
  /** Time between two parts. */
  readonly idleMs: number;
}

type Part = LanguageModelV4StreamPart;

/** Types of parts that precede an answer. */
const preliminaryTypes: ReadonlySet<Part["type"]> = new Set([
  "stream-start",
  "response-metadata",
  "raw",
  "text-start",
  "reasoning-start",
]);

/** Returns true if a part belongs to the answer itself. */
export function isAnswerPart(part: Part): boolean {
  return !preliminaryTypes.has(part.type) && !("delta" in part && part.delta === "");
}

/** Creates the error for a provider stream that was cut off. */
export const connectionLost = () => new ServiceError("unavailable", "The connection to the language model was lost.");

/** Provider stream with timeouts and cancellation, whose `error` parts are thrown. */
export class SupervisedStream {
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #idleMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#controller.abort(this.#callerSignal?.reason);
  #hasStarted = false;
  /** Deadline of the next part, as a time of `performance.now`; infinite while the caller processes a part. */
  #deadline: number;
  #reader: ReadableStreamDefaultReader<Part> | undefined;

  constructor(callerSignal: AbortSignal | undefined, timeouts: StreamTimeouts) {
    this.#callerSignal = callerSignal;
    this.#idleMs = timeouts.idleMs;
    this.#deadline = performance.now() + timeouts.firstTokenMs;
    // One interval timer checks all parts and fires up to 5% late, because a timer per part would cost more than
    // processing the part.
    const intervalMs = Math.max(1, Math.min(timeouts.firstTokenMs, timeouts.idleMs) / 20);
    this.#timer = setInterval(() => this.#checkDeadline(), intervalMs);
    this.#timer.unref();
    callerSignal?.addEventListener("abort", this.#onAbort, { once: true });
    if (callerSignal?.aborted) this.#onAbort();
    this.#controller.signal.addEventListener("abort", () => void this.#cancel(), { once: true });
  }

  #checkDeadline(): void {
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

  /** Returns the next part, or null at the end. */
  async next(): Promise<Part | null> {
    if (this.#hasStarted) this.#deadline = performance.now() + this.#idleMs;
    const next = await this.#reader?.read();
    this.#controller.signal.throwIfAborted();
    if (!next || next.done) return null;
    const part = next.value;
    if (part.type === "error") throw part.error;
    this.#hasStarted ||= isAnswerPart(part);
    if (this.#hasStarted) this.#deadline = Number.POSITIVE_INFINITY;
    // A Bedrock stream that was cut off between two messages ends with an unknown finish reason.
    if (part.type === "finish" && part.finishReason.unified === "other" && part.finishReason.raw === undefined) {
      throw connectionLost();
    }
    return part;
  }

  /** Converts an error to the one to throw: the abort reason if the caller canceled, otherwise a `ServiceError`. */
  toFailure(error: unknown): unknown {
    if (this.#callerSignal?.aborted) return this.#callerSignal.reason;
    const { aborted, reason } = this.#controller.signal;
    return providerError(aborted ? reason : error);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#callerSignal?.removeEventListener("abort", this.#onAbort);
    await this.#cancel();
    this.#controller.abort();
  }
}
