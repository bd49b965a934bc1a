import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { env } from "../../env.ts";

/** A model of any vendor that speaks OpenAI's chat completions at `MODEL_BASE_URL`. */
export function openaiCompatibleModel(modelId: string): LanguageModelV4 {
  const { MODEL_BASE_URL, MODEL_API_KEY } = env("MODEL_BASE_URL", "MODEL_API_KEY");
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: MODEL_BASE_URL,
    apiKey: MODEL_API_KEY || undefined,
    includeUsage: true,
  });
  return provider.chatModel(modelId);
}
