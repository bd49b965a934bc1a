import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ServiceError } from "../lib/errors.ts";
import { findModel } from "./model-table.ts";
import { RETRY_WINDOW_MS, retryModel } from "./retry-model.ts";
import { connectionLost, isAnswerPart, type StreamTimeouts, SupervisedStream } from "./supervised-stream.ts";
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

/** Reads the parts up to the first one of the answer. */
async function readFirstParts(source: SupervisedStream, acceptsEmpty: boolean): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for (let part = await source.next(); part; part = await source.next()) {
    parts.push(part);
    if (part.type === "finish" && acceptsEmpty) return parts;
    if (part.type === "finish") break;
    if (isAnswerPart(part)) return parts;
  }
  throw new ServiceError("model_error", "The model returned an empty answer.");
}

/** Yields the parts already read, then the remaining ones. */
async function* readAllParts(
  firstParts: readonly LanguageModelV4StreamPart[],
  source: SupervisedStream,
): ModelStream["stream"] {
  let isFinished = false;
  try {
    for (const part of firstParts) {
      isFinished ||= part.type === "finish";
      yield part;
    }
    for (let part = await source.next(); part; part = await source.next()) {
      isFinished ||= part.type === "finish";
      yield part;
    }
    if (!isFinished) throw connectionLost();
  } catch (error) {
    throw source.toFailure(error);
  } finally {
    await source.close();
  }
}

/**
 * Starts the answer of one model.
 * @param acceptsEmpty whether an answer may be empty; otherwise it counts as a failure
 * @throws ServiceError as `providerError` returns it
 */
export async function openModelStream(
  modelId: string,
  options: LanguageModelV4CallOptions,
  timeouts: StreamTimeouts,
  acceptsEmpty = false,
): Promise<ModelStream["stream"]> {
  const source = new SupervisedStream(options.abortSignal, timeouts);
  try {
    await source.open(modelId, options);
    return readAllParts(await readFirstParts(source, acceptsEmpty), source);
  } catch (error) {
    const failure = source.toFailure(error);
    await source.close();
    throw failure;
  }
}

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
