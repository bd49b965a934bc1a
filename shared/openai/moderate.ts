import type { GuardrailCategory } from "../api/governance/guardrail-policy.ts";
import type { ModerationRequest } from "../api/openai/moderations.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { getCurrentPolicy } from "../governance/policy-store.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import { narrowPolicy } from "../guardrails/narrow-policy.ts";
import { type Guardrail, hintRules } from "../guardrails/types.ts";
import { invalidField } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";

/** Categories of OpenAI's moderation API. All are returned, because clients expect each one. */
const openaiCategories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

/** OpenAI's names of the guardrail categories. `injection`, `secrets` and `personal-data` do not exist at OpenAI. */
const names: Readonly<Record<GuardrailCategory, string>> = {
  hate: "hate",
  illegal: "illicit",
  self_harm: "self-harm",
  sexual: "sexual",
  violence: "violence",
  injection: "injection",
  secrets: "secrets",
  personal_data: "personal-data",
};

const allNames = [...new Set([...openaiCategories, ...Object.values(names)])];

async function moderateText(guardrail: Guardrail, text: string) {
  const { categories, action } = await guardrail.check({ stage: "input", place: "program", text });
  const scores = new Map(categories.map(({ category, score }) => [names[category as GuardrailCategory], score]));
  const map = <Value>(toValue: (name: string) => Value) =>
    Object.fromEntries(allNames.map((name) => [name, toValue(name)]));
  return {
    flagged: scores.size > 0 || action === "block",
    categories: map((name) => scores.has(name)),
    category_scores: map((name) => scores.get(name) ?? 0),
    category_applied_input_types: map((name) => (scores.has(name) ? ["text"] : [])),
  };
}

/**
 * Returns the texts to check. The text parts of a list form one text, because they are one input.
 * @throws ServiceError `validation_failed` for images
 */
function toTexts(input: ModerationRequest["input"]): string[] {
  if (typeof input === "string") return [input];
  const parts = input.map((part, index) => {
    if (typeof part === "string") return part;
    if (part.type === "text") return part.text;
    throw invalidField(`input.${index}`, "unsupported_parameter", "images are not supported");
  });
  return typeof input[0] === "string" ? parts : [parts.join("\n")];
}

/** Checks texts with the guardrail of the tenant's policy, narrowed by that of the API key. */
export async function moderate(principal: ApiKeyPrincipal, { input, model }: ModerationRequest) {
  const texts = toTexts(input);
  const { guardrails } = await getCurrentPolicy(principal);
  // Clients reject what is flagged, so mere hints do not count.
  const policy = { ...guardrails, disabled_rules: [...guardrails.disabled_rules, ...hintRules] };
  const guardrail = await loadGuardrail(narrowPolicy(policy, principal.guardrails));
  const results = await Promise.all(texts.map((text) => moderateText(guardrail, text)));
  return { id: `modr-${newId()}`, model: model ?? "guardrail", results };
}
