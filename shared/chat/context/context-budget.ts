import { getContextTokens } from "../../models/capabilities.ts";

/** Part of the context window that is left for an answer whose length the persona does not limit. */
const ANSWER_SHARE = 0.25;
const MAX_ANSWER_TOKENS = 4_096;

/** Maximum size of a prompt: larger ones cost more than the earliest messages are worth. */
const MAX_PROMPT_TOKENS = 200_000;

/** Parts of a prompt that have a budget of their own, in shares of the prompt; the history has what is left. */
const shares = {
  memories: 0.1,
  notes: 0.15,
  sources: 0.4,
  files: 0.35,
  surroundings: 0.25,
  summary: 0.12,
  recalled: 0.12,
  // Longest part of one earlier message, so that a long text does not hide the conversation before it.
  message: 0.4,
} as const;

/** Sizes of a prompt and its parts, in tokens. */
export interface ContextBudget extends Readonly<Record<keyof typeof shares, number>> {
  readonly prompt: number;
}

/**
 * Returns the budget of a prompt: the model's context window without the answer.
 * @param maxAnswerTokens limit of the persona
 * @param scale less than 1 after the provider refused a prompt as too long
 */
export function getContextBudget(model: string, maxAnswerTokens: number | null, scale = 1): ContextBudget {
  const window = getContextTokens(model);
  const answer = Math.min(maxAnswerTokens ?? MAX_ANSWER_TOKENS, Math.floor(window * ANSWER_SHARE));
  const prompt = Math.floor(Math.min(window - answer, MAX_PROMPT_TOKENS) * scale);
  const toTokens = (share: number) => Math.floor(prompt * share);
  return {
    prompt,
    memories: toTokens(shares.memories),
    notes: toTokens(shares.notes),
    sources: toTokens(shares.sources),
    files: toTokens(shares.files),
    surroundings: toTokens(shares.surroundings),
    summary: toTokens(shares.summary),
    recalled: toTokens(shares.recalled),
    message: toTokens(shares.message),
  };
}
