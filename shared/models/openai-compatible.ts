import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { env } from "../lib/env.ts";

const models = new Map<string, LanguageModelV4>();

/**
 * Returns a model of any vendor that provides OpenAI's chat completions at `MODEL_BASE_URL`. Models are cached because
 * creating their schemas costs more than a call.
 */
export function openaiCompatibleModel(modelId: string): LanguageModelV4 {
  const { MODEL_BASE_URL, MODEL_API_KEY } = env("MODEL_BASE_URL", "MODEL_API_KEY");
  const cacheKey = JSON.stringify([modelId, MODEL_BASE_URL, MODEL_API_KEY]);
  let model = models.get(cacheKey);
  if (!model) {
    model = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: MODEL_BASE_URL,
      apiKey: MODEL_API_KEY || undefined,
      includeUsage: true,
    }).chatModel(modelId);
    models.set(cacheKey, model);
  }
  return model;
}
