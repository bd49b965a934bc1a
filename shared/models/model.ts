import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Tier } from "../api/tiers.ts";
import { log } from "../lib/log.ts";
import type { ProviderType } from "./model-settings.ts";
import {
  findModel,
  getModel,
  isTenantModelName,
  listModelNames,
  listProviders,
  loadProviderKey,
  type Model,
  selectTierModel,
} from "./model-table.ts";

/** Tier and model of a persona or request, which determine the model that answers. */
interface ModelPreference {
  readonly tier: Tier;
  /** Name of a model; null for that of the tier. */
  readonly model: string | null;
}

/** Returns the name of the model that answers. If the chosen model is no longer configured, the model of the tier answers. */
export function selectModel({ tier, model }: ModelPreference): string {
  if (model === null) return selectTierModel(tier);
  const isKnown = isTenantModelName(model) ? findModel(model) !== null : listModelNames().includes(model);
  return isKnown ? model : selectTierModel(tier);
}

/** Returns the name of a model, followed by the names of its fallback models. */
export function withFallback(name: string): readonly [string, ...string[]] {
  return [name, ...getModel(name).fallback];
}

/**
 * Loaders of the adapters by provider type. Adapters are imported on demand, so that unused ones do not slow down the cold
 * start.
 */
const adapters: Readonly<
  Record<ProviderType, () => Promise<(model: Model) => LanguageModelV4 | Promise<LanguageModelV4>>>
> = {
  "openai-compatible": async () => (await import("./compatible/openai-compatible.ts")).openaiCompatibleModel,
  bedrock: async () => (await import("./bedrock.ts")).bedrockModel,
};

/**
 * Starts to load the adapters and API keys of the configured providers. Functions that call models do this during
 * initialization, when Lambda gives them a whole CPU; during a request they have only a part of one.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export function preloadAdapters(): void {
  const load = async () => {
    const types = new Set(listModelNames().map((name) => getModel(name).provider.type));
    await Promise.all([
      ...[...types].map((type) => adapters[type]()),
      ...listProviders().map((provider) => loadProviderKey(provider)),
    ]);
  };
  load().catch((error) => log.error("model adapter not loaded", { error }));
}

/**
 * Returns a model behind the AI SDK's interface.
 * @throws Error if the type of its provider is unknown
 */
export async function loadModel(name: string): Promise<LanguageModelV4> {
  const model = getModel(name);
  const loadAdapter = adapters[model.provider.type];
  if (!loadAdapter) throw new Error(`MODEL_PROVIDER must be one of ${Object.keys(adapters).join(", ")}`);
  return (await loadAdapter())(model);
}
