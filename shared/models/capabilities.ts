import { env } from "../lib/env.ts";
import { type InputKind, inputKinds } from "./model-settings.ts";
import { getModel, type Model } from "./model-table.ts";

/**
 * Kinds of input that well-known models accept in addition to text, by pattern of the model id; the first match applies. A
 * model without a match accepts only text.
 */
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

/**
 * Returns the inputs that `MODEL_CAPABILITIES` defines for a model; null if it defines none. The setting is `image+file` for
 * all models, or a list of `<prefix>=image+file`.
 */
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

/**
 * Returns the kinds of input that a model accepts in addition to text, from `MODELS`, `MODEL_CAPABILITIES` or the table of
 * known models.
 */
export const getInputs = (name: string): readonly InputKind[] => inputsOf(getModel(name));

/** Returns the kinds of input that a model accepts in addition to text. */
export function inputsOf({ id, inputs }: Pick<Model, "id" | "inputs">): readonly InputKind[] {
  return inputs ?? configuredInputs(id) ?? knownInputs.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] ?? [];
}

/** Context windows of well-known models, in tokens, by pattern of the model id; the first match applies. */
const knownWindows: readonly (readonly [RegExp, number])[] = [
  [/gpt-4\.1|gemini/, 1_000_000],
  [/gpt-5/, 272_000],
  [/claude|\bo[134]\b/, 200_000],
  [/nova-(lite|pro)/, 300_000],
  [/gpt-4o|gpt-4-turbo|nova-micro|llama-?(3\.[1-3]|4)|mistral-(small|medium|large)|deepseek|qwen-?[23]/, 128_000],
];

/**
 * Context window of a model whose window is neither configured nor known, in tokens. If the provider rejects a prompt as too
 * long, the prompt is shortened.
 */
const DEFAULT_WINDOW = 32_768;

/** Returns the context window of a model in tokens: `context_tokens` in `MODELS`, or else that in the table of known models. */
export const getContextTokens = (name: string): number => contextTokensOf(getModel(name));

/** Returns the context window of a model in tokens. */
export function contextTokensOf({ id, contextTokens }: Pick<Model, "id" | "contextTokens">): number {
  return contextTokens ?? knownWindows.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] ?? DEFAULT_WINDOW;
}

/** Bedrock models that cache prompts up to explicit cache points. Other models reject a request with cache points. */
const cachingModels =
  /claude-(3-5-haiku|3-7|(sonnet|opus|haiku)-[4-9])|claude-3-5-sonnet-20241022-v2|nova-(micro|lite|pro|premier)/;

/**
 * Returns true if a prompt for the model can have cache points.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function hasCachePoints(name: string): boolean {
  const { id, provider, cachePoints } = getModel(name);
  return provider.type === "bedrock" ? cachingModels.test(id) : cachePoints;
}
