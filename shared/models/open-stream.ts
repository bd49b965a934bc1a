import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ServiceError } from "../lib/errors.ts";
import { loadModel } from "./model.ts";
import { findModel } from "./model-table.ts";
import { RETRY_WINDOW_MS, retryModel } from "./retry-model.ts";
import { connectionLost, type PartSource, type StreamTimeouts, superviseStream } from "./supervise-stream.ts";
import { tryModels } from "./try-models.ts";

/** Default timeouts. Models with hidden reasoning take most of a minute to start, and then do not pause for long. */
const defaultTimeouts: StreamTimeouts = { firstTokenMs: 90_000, idleMs: 45_000 };

/**
 * Returns the timeouts of a model. A setting can extend the time until its first token, but not shorten it below the default.
 */
function timeoutsOf(name: string): StreamTimeouts {
  const { idleMs, firstTokenMs } = defaultTimeouts;
  return { idleMs, firstTokenMs: Math.max(firstTokenMs, findModel(name)?.firstTokenTimeoutMs ?? 0) };
}

/** Answer of a model whose first part has arrived. */
export interface ModelStream {
  /** Id of the model whose first part arrived: the first one, or its fallback. */
  readonly modelId: string;
  /** True if a fallback answers instead of the first model. */
  readonly fellBack: boolean;
  /**
   * All parts of the answer, except for `error` parts, which are thrown.
   * @throws ServiceError as `providerError` returns it; the abort reason if the caller cancels
   */
  readonly stream: AsyncGenerator<LanguageModelV4StreamPart, void>;
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

const isAnswerPart = (part: Part) => !preliminaryTypes.has(part.type) && !("delta" in part && part.delta === "");

const emptyAnswer = () => new ServiceError("model_error", "The model returned an empty answer.");

/** Returns the parts of a model's stream. `error` parts are thrown, and so is an end without a `finish` part. */
function toPartSource(stream: ReadableStream<Part>): PartSource<Part> {
  const reader = stream.getReader();
  let hasStarted = false;
  let isFinished = false;
  const next = async () => {
    const result = await reader.read();
    if (result.done) {
      if (isFinished) return result;
      throw hasStarted ? connectionLost() : emptyAnswer();
    }
    const part = result.value;
    if (part.type === "error") throw part.error;
    hasStarted ||= isAnswerPart(part);
    if (part.type === "finish") {
      isFinished = true;
      const { unified, raw } = part.finishReason;
      // A Bedrock stream that was cut off between two messages ends with an unknown finish reason.
      if (unified === "other" && raw === undefined) throw connectionLost();
    }
    return result;
  };
  return { parts: { next }, close: () => reader.cancel().catch(() => {}) };
}

/**
 * Starts the answer of one model.
 * @param acceptsEmpty whether an answer may be empty; otherwise it counts as a failure
 * @throws ServiceError as `providerError` returns it
 */
export const openModelStream = (
  modelId: string,
  options: LanguageModelV4CallOptions,
  timeouts: StreamTimeouts,
  acceptsEmpty = false,
): Promise<ModelStream["stream"]> =>
  superviseStream(
    async (signal) => {
      const model = await loadModel(modelId);
      return toPartSource((await model.doStream({ ...options, abortSignal: signal })).stream);
    },
    (part) => {
      if (part.type === "finish" && !acceptsEmpty) throw emptyAnswer();
      return isAnswerPart(part);
    },
    timeouts,
    options.abortSignal,
  );

/** Delay that a provider may request while a fallback model is left. */
const MAX_DELAY_BEFORE_FALLBACK_MS = 1_000;

/**
 * Calls models in order, each with retries, until one starts to answer. A model fails if it returns an error, ends or times out
 * before the first part of its answer. After that part there is no fallback, so an answer never has two authors.
 * @throws ServiceError of the first model if all fail
 */
export async function openStream(
  modelIds: readonly [string, ...string[]],
  options: LanguageModelV4CallOptions,
  timeouts?: StreamTimeouts,
): Promise<ModelStream> {
  const limits = { deadline: performance.now() + RETRY_WINDOW_MS, signal: options.abortSignal };
  const { result: stream, ...model } = await tryModels(modelIds, options, (modelId) =>
    retryModel(
      () => openModelStream(modelId, options, timeouts ?? timeoutsOf(modelId)),
      modelId === modelIds.at(-1) ? limits : { ...limits, maxDelayMs: MAX_DELAY_BEFORE_FALLBACK_MS },
    ),
  );
  return { ...model, stream };
}
