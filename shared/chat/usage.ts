import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Turn } from "./turn.ts";

/** A sum in which unknown counts for nothing, and unknown and unknown is unknown. */
function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/** Adds what one call of a model took to what the turn took so far. */
export function addUsage(turn: Turn, { inputTokens: input, outputTokens: output }: LanguageModelV4Usage): void {
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
