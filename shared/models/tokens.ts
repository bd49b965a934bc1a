import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../api/conversations/messages.ts";
import { calculateCostUsd } from "./prices.ts";

/** Estimates the tokens of a text at four characters per token, for providers that report no usage. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns a reported number of tokens; undefined for numbers that cannot be one, such as negative ones. */
const toCount = (reported: number | undefined): number | undefined =>
  typeof reported === "number" && Number.isFinite(reported) && reported >= 0 ? reported : undefined;

/**
 * Returns the token usage of a model call. Estimates numbers that the provider does not report. Input tokens that are fewer than
 * those of the cache are taken as those in addition to them, which some gateways report.
 */
export function toUsage(
  model: string,
  reported: LanguageModelV4Usage | undefined,
  texts: { input: string; output: string },
): Usage {
  const cached = toCount(reported?.inputTokens.cacheRead) ?? 0;
  const written = toCount(reported?.inputTokens.cacheWrite) ?? 0;
  const total = toCount(reported?.inputTokens.total) ?? estimateTokens(texts.input);
  const input = total < cached + written ? total + cached + written : total;
  const output = toCount(reported?.outputTokens.total) ?? estimateTokens(texts.output);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(cached > 0 && { cached_tokens: cached }),
    cost_usd: calculateCostUsd(model, { input: input - cached - written, cached, written, output }),
    model,
  };
}

/**
 * Adds costs in whole microdollars, so that the sum equals that of separately recorded calls. Null if no cost is known.
 */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  const microdollars = known.reduce((sum, cost) => sum + Math.round(cost * 1_000_000), 0);
  return known.length > 0 ? microdollars / 1_000_000 : null;
}

/** Adds up the usage of at least one call. */
export function sumUsage(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, usage) => ({
    model: usage.model,
    input_tokens: sum.input_tokens + usage.input_tokens,
    output_tokens: sum.output_tokens + usage.output_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    cost_usd: sumCosts([sum.cost_usd, usage.cost_usd]),
  }));
}

const ideographs = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/**
 * Returns a lower bound of the tokens of a text, with the tokenizers of decision 0030: 0.6 for each Chinese, Japanese or
 * Korean character, and one for 5.5 other characters.
 */
export function minTokens(text: string): number {
  const count = text.match(ideographs)?.length ?? 0;
  return Math.floor(count * 0.6 + (text.length - count) / 5.5);
}
