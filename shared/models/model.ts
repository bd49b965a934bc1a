import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tier } from "../api/tiers.ts";
import { env } from "../lib/env.ts";

/** Returns the model id that is configured for a tier. */
export function modelIdFor(tier: Tier): string {
  const { MODEL_PROVIDER, MODEL_ID } = env("MODEL_PROVIDER", "MODEL_ID");
  const tierModelId = env(`MODEL_ID_${tier}`)[`MODEL_ID_${tier}`];
  return tierModelId || MODEL_ID || (MODEL_PROVIDER === "builtin" ? "builtin" : "default");
}

/** Returns a model id followed by the fallback, if there is one (`MODEL_FALLBACK`). */
export function withFallback(modelId: string): readonly [string, ...string[]] {
  const { MODEL_FALLBACK } = env("MODEL_FALLBACK");
  return MODEL_FALLBACK && MODEL_FALLBACK !== modelId ? [modelId, MODEL_FALLBACK] : [modelId];
}

/** Providers by name. They are imported on demand, so that unused ones do not add to the cold start. */
const providers: Readonly<Record<string, (modelId: string) => Promise<LanguageModelV4>>> = {
  builtin: async (modelId) => (await import("./builtin.ts")).builtinModel(modelId),
  "openai-compatible": async (modelId) => (await import("./openai-compatible.ts")).openaiCompatibleModel(modelId),
  bedrock: async (modelId) => (await import("./bedrock.ts")).bedrockModel(modelId),
};

/**
 * Returns a model of the configured provider.
 * @throws Error if `MODEL_PROVIDER` is unknown
 */
export async function loadModel(modelId: string): Promise<LanguageModelV4> {
  const { MODEL_PROVIDER } = env("MODEL_PROVIDER");
  const provider = providers[MODEL_PROVIDER];
  if (!provider) throw new Error(`MODEL_PROVIDER must be one of ${Object.keys(providers).join(", ")}`);
  return provider(modelId);
}
