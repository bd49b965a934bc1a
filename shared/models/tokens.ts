import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../api/conversations/messages.ts";
import { calculateCostUsd } from "./prices.ts";

/** Estimates the tokens of a text at four characters per token, for providers that report no usage. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns the token usage of a model call. Estimates numbers that the provider does not report. */
export function toUsage(
  model: string,
  reported: LanguageModelV4Usage | undefined,
  texts: { input: string; output: string },
): Usage {
  const input = reported?.inputTokens.total ?? estimateTokens(texts.input);
  const output = reported?.outputTokens.total ?? estimateTokens(texts.output);
  const cached = reported?.inputTokens.cacheRead ?? 0;
  const written = reported?.inputTokens.cacheWrite ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(cached > 0 && { cached_tokens: cached }),
    cost_usd: calculateCostUsd(model, { input: input - cached - written, cached, written, output }),
    model,
  };
}
