import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

/**
 * Calls models in order until one succeeds. Retries with one model are in `retry-model.ts`;
 * `chat/generation/call-model.ts` warns of a fallback.
 * @throws the error of the first model if all fail, because it is the one that was meant to answer; the abort reason if the
 * caller cancels
 */
export async function tryModels<Result>(
  modelIds: readonly [string, ...string[]],
  { abortSignal }: Pick<LanguageModelV4CallOptions, "abortSignal">,
  call: (modelId: string) => Promise<Result>,
): Promise<{ modelId: string; fellBack: boolean; result: Result }> {
  let firstError: unknown;
  for (const [index, modelId] of modelIds.entries()) {
    try {
      return { modelId, fellBack: index > 0, result: await call(modelId) };
    } catch (error) {
      abortSignal?.throwIfAborted();
      firstError ??= error;
    }
  }
  throw firstError;
}
