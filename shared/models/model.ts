import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tier } from "../api/tiers.ts";
import { getModel, listModelNames, type Model, type ProviderType, selectTierModel } from "./model-table.ts";

/** Attributes of a persona that select its model. */
interface ModelPreference {
  readonly tier: Tier;
  /** Name of a model; null for the model of the tier. */
  readonly model: string | null;
}

/** Selects the model for a request. A persona's model that is no longer configured is replaced by that of the tier. */
export function selectModel({ tier, model }: ModelPreference): string {
  return model !== null && listModelNames().includes(model) ? model : selectTierModel(tier);
}

/** Returns the name of a model followed by those of its fallback chain. */
export function withFallback(name: string): readonly [string, ...string[]] {
  return [name, ...getModel(name).fallback];
}

/** Loaders of the providers' adapters. Imports are on demand, so that unused adapters do not add to the cold start. */
const adapters: Readonly<Record<ProviderType, (model: Model) => Promise<LanguageModelV4>>> = {
  builtin: async ({ id }) => (await import("./builtin.ts")).builtinModel(id),
  "openai-compatible": async (model) => (await import("./openai-compatible.ts")).openaiCompatibleModel(model),
  bedrock: async (model) => (await import("./bedrock.ts")).bedrockModel(model),
};

/**
 * Loads a model behind the interface of the AI SDK.
 * @throws Error if the type of its provider is unknown
 */
export async function loadModel(name: string): Promise<LanguageModelV4> {
  const model = getModel(name);
  const load = adapters[model.provider.type];
  if (!load) throw new Error(`MODEL_PROVIDER must be one of ${Object.keys(adapters).join(", ")}`);
  return load(model);
}
