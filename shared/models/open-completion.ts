import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { ChatChunk, ChatCompletion } from "./chat-chunk.ts";
import { openChatStream, requestChat } from "./compatible/open-chat.ts";
import { callWithTokenLimit } from "./compatible/token-limit.ts";
import { loadModel } from "./model.ts";
import { openModelStream } from "./open-stream.ts";
import { toChunks, toCompletion } from "./parts-to-chunks.ts";
import { toRefusal } from "./provider-refusal.ts";
import { type RetryOptions, retryModel } from "./retry-model.ts";
import { tryModels } from "./try-models.ts";

/** Request of the OpenAI-compatible API, in the form that the configured provider takes. */
export type CompletionRequest =
  /** Body for an OpenAI-compatible provider, without `model` and `stream`. */
  | { readonly kind: "compatible"; readonly body: Readonly<Record<string, unknown>> }
  /** Options for a provider behind the AI SDK's interface. */
  | { readonly kind: "adapted"; readonly options: LanguageModelV4CallOptions };

/** Returns true if the configured provider takes OpenAI's request bodies as they are. */
export function isCompatibleProvider(): boolean {
  return env("MODEL_PROVIDER").MODEL_PROVIDER === "openai-compatible";
}

/** Completion in progress, with the model that generates it. */
export interface OpenCompletion<Result> {
  readonly modelId: string;
  readonly result: Result;
}

type ModelIds = readonly [string, ...string[]];

const IDLE_TIMEOUT_MS = 45_000;

/** Time window in which failed attempts are repeated. */
const RETRY_WINDOW_MS = 20_000;

/** Calls models in order, each with retries. @throws ServiceError as `toRefusal` returns it */
function callModels<Result>(
  modelIds: ModelIds,
  options: RetryOptions,
  call: (modelId: string) => Promise<Result>,
): Promise<OpenCompletion<Result>> {
  return tryModels(modelIds, { abortSignal: options.signal }, (modelId) =>
    retryModel(async () => {
      try {
        return await call(modelId);
      } catch (error) {
        options.signal?.throwIfAborted();
        throw toRefusal(error);
      }
    }, options),
  );
}

/** Options of a streamed completion. */
export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when an attempt has failed and another one will follow. */
  readonly onRetry?: (() => void) | undefined;
}

/**
 * Starts a streamed completion. Failures before the first chunk of the answer are retried, then the next model is called.
 * @throws ServiceError of the first model if all fail
 */
export function openCompletion(
  modelIds: ModelIds,
  request: CompletionRequest,
  { signal, onRetry }: OpenOptions,
): Promise<OpenCompletion<AsyncGenerator<ChatChunk, void>>> {
  const { MODEL_FIRST_TOKEN_TIMEOUT_SECONDS } = env("MODEL_FIRST_TOKEN_TIMEOUT_SECONDS");
  const timeouts = { firstTokenMs: Number(MODEL_FIRST_TOKEN_TIMEOUT_SECONDS) * 1_000, idleMs: IDLE_TIMEOUT_MS };
  const deadline = performance.now() + RETRY_WINDOW_MS;
  return callModels(modelIds, { deadline, signal, onRetry }, async (modelId) => {
    if (request.kind === "adapted") {
      const options = { ...request.options, abortSignal: signal };
      return toChunks(await openModelStream(modelId, options, timeouts, true));
    }
    return callWithTokenLimit(request.body, modelId, (body) =>
      openChatStream({ ...body, model: modelId, stream: true }, timeouts, signal),
    );
  });
}

/** Time for a complete answer: CloudFront closes a connection to an origin that is silent for a minute. */
const ANSWER_TIMEOUT_MS = 50_000;

/** Creates the timeout error. It tells clients not to retry, because a retry would take as long and be billed again. */
const answerTimedOut = () =>
  new ServiceError("timeout", "The answer takes too long for a response that is not streamed. Set `stream` to true.", {
    headers: { "x-should-retry": "false" },
  });

/**
 * Requests a completion in one response, with retries and fallback within one timeout.
 * @throws ServiceError of the first model if all fail; `timeout`
 */
export async function requestCompletion(
  modelIds: ModelIds,
  request: CompletionRequest,
  { signal: callerSignal }: OpenOptions = {},
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<OpenCompletion<ChatCompletion>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = callerSignal ? AbortSignal.any([callerSignal, timeout]) : timeout;
  const deadline = performance.now() + Math.min(RETRY_WINDOW_MS, timeoutMs);
  try {
    return await callModels(modelIds, { deadline, signal }, async (modelId) => {
      if (request.kind === "adapted") {
        const model = await loadModel(modelId);
        return toCompletion(await model.doGenerate({ ...request.options, abortSignal: signal }));
      }
      return callWithTokenLimit(request.body, modelId, (body) =>
        requestChat({ ...body, model: modelId, stream: false }, signal),
      );
    });
  } catch (error) {
    throw timeout.aborted ? answerTimedOut() : error;
  }
}
