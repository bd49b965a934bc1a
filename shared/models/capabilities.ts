import { env } from "../lib/env.ts";
import { type InputKind, inputKinds } from "./model-settings.ts";
import { getModel, type Model } from "./model-table.ts";

/** Inputs of well-known models, by pattern of the model id; the first match applies. Models without a match take text. */
const knownInputs: readonly (readonly [RegExp, readonly InputKind[]])[] = [
  [/gpt-4o(-mini)?-audio|gpt-audio/, ["audio"]],
  [/gpt-4o|gpt-4\.1|gpt-5|\bo[134]\b|chatgpt/, ["image", "file"]],
  [/gpt-4-turbo|gpt-4-vision/, ["image"]],
  [/gemini/, ["image", "audio", "file"]],
  [/claude/, ["image", "file"]],
  [/nova-(lite|pro|premier)/, ["image", "file"]],
  [/omni/, ["image", "audio"]],
  [
    /vision|[-_.]vl\b|\bvl[-_.]|llava|pixtral|gemma-?3|llama-?4|mistral-(small|medium)|internvl|minicpm-v|grok-(2-vision|4)/,
    ["image"],
  ],
];

/** Parses `MODEL_CAPABILITIES`: `image+file` for all models, or a list of `<prefix>=image+file`. */
function configuredInputs(modelId: string): readonly InputKind[] | null {
  const { MODEL_CAPABILITIES } = env("MODEL_CAPABILITIES");
  const entries = MODEL_CAPABILITIES.split(",").filter((entry) => entry.trim() !== "");
  for (const entry of entries) {
    const [prefix = "", kinds] = entry.includes("=") ? entry.split("=") : ["", entry];
    const names = (kinds ?? "").split("+").map((name) => name.trim());
    if (modelId.startsWith(prefix.trim())) return inputKinds.filter((kind) => names.includes(kind));
  }
  return null;
}

/** Returns the inputs that a model takes in addition to text (`MODELS`, `MODEL_CAPABILITIES`). */
export const getInputs = (name: string): readonly InputKind[] => inputsOf(getModel(name));

/** Returns the inputs that a model takes in addition to text. */
export function inputsOf({ id, inputs }: Pick<Model, "id" | "inputs">): readonly InputKind[] {
  return inputs ?? configuredInputs(id) ?? knownInputs.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] ?? [];
}

/** Context windows of well-known models, in tokens, by pattern of the model id; the first match applies. */
const knownWindows: readonly (readonly [RegExp, number])[] = [
  [/^builtin$/, 32_768],
  [/gpt-4\.1|gemini/, 1_000_000],
  [/gpt-5/, 272_000],
  [/claude|\bo[134]\b/, 200_000],
  [/nova-(lite|pro)/, 300_000],
  [/gpt-4o|gpt-4-turbo|nova-micro|llama-?(3\.[1-3]|4)|mistral-(small|medium|large)|deepseek|qwen-?[23]/, 128_000],
];

/** Context window of a model that is neither configured nor known. A prompt that the provider refuses as too long is shortened. */
const DEFAULT_WINDOW = 32_768;

/** Returns the context window of a model in tokens (`context_tokens` in `MODELS`). */
export const getContextTokens = (name: string): number => contextTokensOf(getModel(name));

/** Returns the context window of a model in tokens. */
export function contextTokensOf({ id, contextTokens }: Pick<Model, "id" | "contextTokens">): number {
  return contextTokens ?? knownWindows.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] ?? DEFAULT_WINDOW;
}

/** Models of Bedrock that read prompts from a cache up to explicit points; others refuse a request with such points. */
const cachingModels =
  /claude-(3-5-haiku|3-7|(sonnet|opus|haiku)-[4-9])|claude-3-5-sonnet-20241022-v2|nova-(micro|lite|pro|premier)/;

/**
 * Returns true if a prompt for the model may have cache points.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function hasCachePoints(name: string): boolean {
  const { id, provider, cachePoints } = getModel(name);
  return provider.type === "bedrock" ? cachingModels.test(id) : cachePoints;
}
