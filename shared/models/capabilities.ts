import { env } from "../lib/env.ts";
import { getModel, type InputKind, inputKinds } from "./model-table.ts";

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
export function getInputs(name: string): readonly InputKind[] {
  const { id, inputs } = getModel(name);
  return inputs ?? configuredInputs(id) ?? knownInputs.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] ?? [];
}
