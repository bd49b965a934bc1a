import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { env } from "../lib/env.ts";

const known = new Map<string, LanguageModelV4>();

/** A model of any vendor that speaks OpenAI's chat completions at `MODEL_BASE_URL`. Made once: its schemas cost more than a call. */
export function openaiCompatibleModel(modelId: string): LanguageModelV4 {
  const { MODEL_BASE_URL, MODEL_API_KEY } = env("MODEL_BASE_URL", "MODEL_API_KEY");
  const name = JSON.stringify([modelId, MODEL_BASE_URL, MODEL_API_KEY]);
  let model = known.get(name);
  if (!model) {
    model = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: MODEL_BASE_URL,
      apiKey: MODEL_API_KEY || undefined,
      includeUsage: true,
    }).chatModel(modelId);
    known.set(name, model);
  }
  return model;
}
