import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import { ServiceError } from "../lib/errors.ts";
import { loadModel } from "./model.ts";
import type { ModelStream } from "./open-stream.ts";
import { providerError } from "./provider-error.ts";
import { tryModels } from "./try-models.ts";

async function callModel(modelId: string, options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
  try {
    const model = await loadModel(modelId);
    const answer = await model.doGenerate(options);
    if (answer.content.length === 0) throw new ServiceError("model_error", "The model returned an empty answer.");
    return answer;
  } catch (error) {
    throw providerError(error);
  }
}

async function* toParts({ content, finishReason, usage }: LanguageModelV4GenerateResult): ModelStream["stream"] {
  for (const part of content) {
    if (part.type === "text") yield { type: "text-delta", id: "0", delta: part.text };
    else if (part.type === "tool-call") yield part;
  }
  yield { type: "finish", finishReason, usage };
}

/** Time for a complete answer: CloudFront closes a connection to an origin that is silent for a minute. */
const ANSWER_TIMEOUT_MS = 50_000;

/** Creates the timeout error. Clients must not retry: a retry would take as long, and the tokens are billed again. */
const answerTimedOut = () =>
  new ServiceError("timeout", "The answer takes too long for a response that is not streamed. Set `stream` to true.", {
    headers: { "x-should-retry": "false" },
  });

/**
 * Calls models in order until one returns a complete answer. The provider sends it in one response, which costs less CPU
 * to read than a stream.
 * @param timeoutMs for all models together
 * @throws ServiceError of the first model if all fail; `timeout`
 */
export async function generateAnswer(
  modelIds: readonly [string, ...string[]],
  options: LanguageModelV4CallOptions,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<ModelStream> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const abortSignal = options.abortSignal ? AbortSignal.any([options.abortSignal, timeout]) : timeout;
  const limitedOptions = { ...options, abortSignal };
  try {
    const { result, ...model } = await tryModels(modelIds, limitedOptions, (modelId) =>
      callModel(modelId, limitedOptions),
    );
    return { ...model, stream: toParts(result) };
  } catch (error) {
    throw timeout.aborted ? answerTimedOut() : error;
  }
}
