import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Turn } from "./turn.ts";

/** Adds two counts; undefined if both are unknown. */
function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/** Adds the usage of one model call to the usage of the turn. */
export function addUsage(turn: Turn, usage: LanguageModelV4Usage | undefined): void {
  if (!usage) return;
  const { inputTokens: input, outputTokens: output } = usage;
  const before = turn.usage;
  turn.usage = {
    inputTokens: {
      total: sum(before?.inputTokens.total, input.total),
      noCache: sum(before?.inputTokens.noCache, input.noCache),
      cacheRead: sum(before?.inputTokens.cacheRead, input.cacheRead),
      cacheWrite: sum(before?.inputTokens.cacheWrite, input.cacheWrite),
    },
    outputTokens: {
      total: sum(before?.outputTokens.total, output.total),
      text: sum(before?.outputTokens.text, output.text),
      reasoning: sum(before?.outputTokens.reasoning, output.reasoning),
    },
  };
}
