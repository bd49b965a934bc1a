import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { linkSignal } from "../lib/link-signal.ts";
import { getContextTokens, hasCachePoints } from "./capabilities.ts";
import type { ChatChunk, ChatCompletion } from "./chat-chunk.ts";
import { openChatStream, requestChat } from "./compatible/open-chat.ts";
import { callWithTokenLimit } from "./compatible/token-limit.ts";
import { loadModel } from "./model.ts";
import type { RequestTraits } from "./model-settings.ts";
import { getModel, loadProviderKey, type Model } from "./model-table.ts";
import { openModelStream } from "./open-stream.ts";
import { toChunks, toCompletion } from "./parts-to-chunks.ts";
import { ProviderRefusal, toRefusal } from "./provider-refusal.ts";
import { RETRY_WINDOW_MS, type RetryOptions, retryModel } from "./retry-model.ts";
import { estimateTokens } from "./tokens.ts";
import { tryModels } from "./try-models.ts";

/** Request of the OpenAI-compatible API, which can be converted for each model of a fallback chain. */
export interface CompletionRequest {
  /**
   * Returns the body for an OpenAI-compatible provider, without `model` and `stream`.
   * @throws ServiceError `validation_failed` for fields that are not forwarded
   */
  toBody(traits?: RequestTraits): Readonly<Record<string, unknown>>;
  /**
   * Returns the options for a provider behind the AI SDK's interface.
   * @throws ServiceError `validation_failed` for fields that the interface does not have
   */
  toOptions(traits?: RequestTraits): LanguageModelV4CallOptions;
}

/** Returns the base URL and API key of a model's provider. */
const toEndpoint = async ({ provider }: Model) => ({
  baseUrl: provider.baseUrl,
  apiKey: await loadProviderKey(provider),
});

const traitsOf = ({ name, unknownFields }: Model): RequestTraits => ({
  unknownFields,
  hasCachePoints: hasCachePoints(name),
});

/** Returns true if the model's provider is OpenAI-compatible, so that request bodies can be forwarded to it. */
export function isCompatible({ provider }: Model): boolean {
  return provider.type === "openai-compatible";
}

/** Completion whose answer has begun or is complete, with the model that generates it. */
interface OpenCompletion<Result> {
  readonly modelId: string;
  readonly result: Result;
}

type ModelIds = readonly [string, ...string[]];

const IDLE_TIMEOUT_MS = 45_000;

/**
 * Calls models in order until one answers, each with retries.
 * @throws ServiceError as `toRefusal` returns it
 */
function callModels<Result>(
  modelIds: ModelIds,
  request: CompletionRequest,
  options: RetryOptions,
  call: (modelId: string) => Promise<Result>,
): Promise<OpenCompletion<Result>> {
  return tryModels(modelIds, { abortSignal: options.signal }, (modelId) =>
    retryModel(async () => {
      try {
        return await call(modelId);
      } catch (error) {
        options.signal?.throwIfAborted();
        const refusal = toRefusal(error);
        if (refusal instanceof ProviderRefusal && refusal.code === "context_length_exceeded") {
          const maximum = getContextTokens(modelId);
          const tokens = Math.max(maximum + 1, estimateTokens(JSON.stringify(request.toBody().messages)));
          refusal.overflow = { tokens, maximum };
        }
        throw refusal;
      }
    }, options),
  );
}

/**
 * Maximum total delay between attempts of a stream. It is below the time for which a response can wait for its status after a
 * failed attempt.
 */
const MAX_STREAM_WAIT_MS = 1_500;

interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after a failed attempt that is followed by another one. */
  readonly onRetry?: (() => void) | undefined;
}

const firstTokenTimeoutMs = (model: Model): number => {
  const { MODEL_FIRST_TOKEN_TIMEOUT_SECONDS } = env("MODEL_FIRST_TOKEN_TIMEOUT_SECONDS");
  return model.firstTokenTimeoutMs ?? Number(MODEL_FIRST_TOKEN_TIMEOUT_SECONDS) * 1_000;
};

/**
 * Starts a streamed completion. A failure before the first chunk of the answer is retried; then the next model is called.
 * @throws ServiceError of the first model if all fail
 */
export function openCompletion(
  modelIds: ModelIds,
  request: CompletionRequest,
  { signal, onRetry }: OpenOptions,
): Promise<OpenCompletion<AsyncGenerator<ChatChunk, void>>> {
  const deadline = performance.now() + RETRY_WINDOW_MS;
  return callModels(modelIds, request, { deadline, signal, onRetry, maxWaitMs: MAX_STREAM_WAIT_MS }, async (name) => {
    const model = getModel(name);
    const timeouts = { firstTokenMs: firstTokenTimeoutMs(model), idleMs: IDLE_TIMEOUT_MS };
    if (!isCompatible(model)) {
      const options = { ...request.toOptions(traitsOf(model)), abortSignal: signal };
      return toChunks(await openModelStream(name, options, timeouts, true));
    }
    const endpoint = await toEndpoint(model);
    return callWithTokenLimit(request.toBody(traitsOf(model)), model, (body) =>
      openChatStream(endpoint, { ...body, model: model.id, stream: true }, timeouts, signal),
    );
  });
}

/** Maximum time for an answer that is not streamed, with all attempts and tool rounds (decision 0071). */
const ANSWER_TIMEOUT_MS = 300_000;

/** Returns the maximum time for an answer that is not streamed. It is longer for a model whose first token can take longer. */
export const answerTimeoutMs = (modelId: string): number =>
  Math.max(ANSWER_TIMEOUT_MS, firstTokenTimeoutMs(getModel(modelId)));

/**
 * Returns the error for an answer that takes too long. It asks clients not to retry, because a retry would take as long and
 * cost the same again.
 */
const answerTimedOut = () =>
  new ServiceError("timeout", "The answer takes too long for a response that is not streamed. Set `stream` to true.", {
    headers: { "x-should-retry": "false" },
  });

/**
 * Requests a completion that is not streamed, with retries and fallback models within one timeout.
 * @throws ServiceError of the first model if all fail; `timeout`
 */
export async function requestCompletion(
  modelIds: ModelIds,
  request: CompletionRequest,
  { signal: callerSignal }: OpenOptions = {},
  timeoutMs = answerTimeoutMs(modelIds[0]),
): Promise<OpenCompletion<ChatCompletion>> {
  const { controller, unlink } = linkSignal(callerSignal);
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(answerTimedOut()), timeoutMs);
  const deadline = performance.now() + Math.min(RETRY_WINDOW_MS, timeoutMs);
  try {
    return await callModels(modelIds, request, { deadline, signal }, async (name) => {
      const model = getModel(name);
      if (!isCompatible(model)) {
        const loaded = await loadModel(name);
        const options = request.toOptions(traitsOf(model));
        return toCompletion(await loaded.doGenerate({ ...options, abortSignal: signal }));
      }
      const endpoint = await toEndpoint(model);
      return callWithTokenLimit(request.toBody(traitsOf(model)), model, (body) =>
        requestChat(endpoint, { ...body, model: model.id, stream: false }, signal),
      );
    });
  } finally {
    clearTimeout(timer);
    unlink();
  }
}
