import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tier } from "../api/tiers.ts";
import { env } from "../lib/env.ts";

/** The model id configured for a tier. */
export function modelIdFor(tier: Tier): string {
  const { MODEL_PROVIDER, MODEL_ID } = env("MODEL_PROVIDER", "MODEL_ID");
  const own = env(`MODEL_ID_${tier}`)[`MODEL_ID_${tier}`];
  return own || MODEL_ID || (MODEL_PROVIDER === "builtin" ? "builtin" : "default");
}

/** A model id with the one to try when that fails (`MODEL_FALLBACK`), as `openStream` takes them. */
export function withFallback(modelId: string): readonly [string, ...string[]] {
  const { MODEL_FALLBACK } = env("MODEL_FALLBACK");
  return MODEL_FALLBACK && MODEL_FALLBACK !== modelId ? [modelId, MODEL_FALLBACK] : [modelId];
}

/** Providers are loaded when they are configured: the ones a deployment does not use cost it no start-up time. */
const providers: Readonly<Record<string, (modelId: string) => Promise<LanguageModelV4>>> = {
  builtin: async (modelId) => (await import("./builtin.ts")).builtinModel(modelId),
  "openai-compatible": async (modelId) => (await import("./openai-compatible.ts")).openaiCompatibleModel(modelId),
  bedrock: async (modelId) => (await import("./bedrock.ts")).bedrockModel(modelId),
};

/**
 * The configured provider's model of that id.
 * @throws Error for a `MODEL_PROVIDER` that does not exist
 */
export async function loadModel(modelId: string): Promise<LanguageModelV4> {
  const { MODEL_PROVIDER } = env("MODEL_PROVIDER");
  const provider = providers[MODEL_PROVIDER];
  if (!provider) throw new Error(`MODEL_PROVIDER must be one of ${Object.keys(providers).join(", ")}`);
  return provider(modelId);
}
