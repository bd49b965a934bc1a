import type { Tier } from "../api/tiers.ts";
import { invalidField } from "../lib/errors.ts";
import { contextTokensOf } from "../models/capabilities.ts";
import { findModel, selectTierModel } from "../models/model-table.ts";
import { minTokens } from "../models/tokens.ts";

/** Share of a model's context window that the instructions of a persona must not certainly exceed. */
const MAX_SHARE = 0.65;

/**
 * Requires that instructions leave the model room for a question and its answer. Models of tenants are not checked.
 * @throws ServiceError `validation_failed` if they are too long by the most favorable estimate of their tokens
 */
export function requireFittingInstructions(persona: {
  readonly instructions: string;
  readonly model: string | null;
  readonly tier: Tier;
}): void {
  const model = findModel(persona.model ?? selectTierModel(persona.tier));
  if (!model) return;
  const [tokens, maxTokens] = [minTokens(persona.instructions), Math.floor(contextTokensOf(model) * MAX_SHARE)];
  if (tokens <= maxTokens) return;
  const message = `must be shorter for the model ${model.name}: they have at least ${tokens} tokens, and its context window leaves ${maxTokens} for them`;
  throw invalidField("instructions", "too_long", message);
}
