import type { Estimate } from "../lib/charges.ts";
import { calculateCostUsd } from "./prices.ts";
import { estimateTokens } from "./tokens.ts";

/** Assumed tokens of a prompt in addition to the question (instructions, sources and earlier messages), and of an answer. */
const CONTEXT_TOKENS = 1_500;
const ANSWER_TOKENS = 500;

/**
 * Estimates the tokens and cost of an answer before its prompt is known. The estimate is only reserved in budgets; later, the
 * usage that the provider reports is charged.
 */
export function estimateAnswer(model: string, text: string, maxOutputTokens: number | null): Estimate {
  const input = estimateTokens(text) + CONTEXT_TOKENS;
  const output = Math.min(maxOutputTokens ?? ANSWER_TOKENS, 8 * ANSWER_TOKENS);
  const cost = calculateCostUsd(model, { input, cached: 0, output });
  return { tokens: input + output, micro_usd: Math.round((cost ?? 0) * 1_000_000) };
}
