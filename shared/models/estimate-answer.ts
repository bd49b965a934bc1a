import type { Estimate } from "../lib/charges.ts";
import { calculateCostUsd } from "./prices.ts";
import { estimateTokens } from "./tokens.ts";

/** Tokens of the instructions, the sources and the earlier messages of a prompt, and of an answer, for an estimate. */
const CONTEXT_TOKENS = 1_500;
const ANSWER_TOKENS = 500;

/**
 * Estimates the consumption of an answer before its prompt is known. The estimate only decides on what is reserved; what is
 * charged is what the provider reports.
 */
export function estimateAnswer(model: string, text: string, maxOutputTokens: number | null): Estimate {
  const input = estimateTokens(text) + CONTEXT_TOKENS;
  const output = Math.min(maxOutputTokens ?? ANSWER_TOKENS, 8 * ANSWER_TOKENS);
  const cost = calculateCostUsd(model, { input, cached: 0, output });
  return { tokens: input + output, micro_usd: Math.round((cost ?? 0) * 1_000_000) };
}
