import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { timestamp } from "../lib/clock.ts";
import type { OperationTiming } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Appends a call of the turn's model to `turn.record.operations`. The caller sets the duration when the call ends. */
export function addModelCall(turn: Turn, startedAtMs: number): OperationTiming {
  const call: OperationTiming = {
    operation: "chat",
    name: turn.answer.modelId,
    started_at: timestamp(startedAtMs),
    duration_ms: 0,
  };
  turn.record.operations.push(call);
  return call;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/**
 * Adds the tokens of one model call to the total of the turn.
 * @param call entry of the same call in `turn.record.operations`, which also gets the counts
 */
export function addUsage(turn: Turn, usage: LanguageModelV4Usage | undefined, call?: OperationTiming): void {
  if (!usage) return;
  const { inputTokens: input, outputTokens: output } = usage;
  if (call) {
    if (input.total !== undefined) call.input_tokens = input.total;
    if (output.total !== undefined) call.output_tokens = output.total;
    if (input.cacheRead) call.cached_tokens = input.cacheRead;
  }
  const before = turn.record.usage;
  turn.record.usage = {
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
