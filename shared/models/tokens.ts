import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../api/conversations/messages.ts";
import { costOf } from "./prices.ts";

/** Tokens of a text, by the rule of thumb of four characters a token: for models that do not count themselves. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** What a generation took: as the provider counted it, estimated where it did not. */
export function usageOf(
  model: string,
  counted: LanguageModelV4Usage | undefined,
  texts: { input: string; output: string },
): Usage {
  const input = counted?.inputTokens.total ?? estimateTokens(texts.input);
  const output = counted?.outputTokens.total ?? estimateTokens(texts.output);
  const cached = counted?.inputTokens.cacheRead ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: costOf(model, { input: input - cached, cached, output }),
    model,
  };
}
