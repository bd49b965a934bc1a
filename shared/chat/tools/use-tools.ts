import type { LanguageModelV4ToolCall, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import { noteResult } from "../../governance/approvals/approval-store.ts";
import type { RunEvent } from "../../runs/events.ts";
import { pauseFor } from "../pause-turn.ts";
import type { Decided, Pending, Turn } from "../turn.ts";
import { asResult, failure, prepared, runTool } from "./run-tool.ts";
import type { Tool } from "./tool.ts";

/** Tools the model may use before it has to look at what came of them. */
const callsAtMost = 5;

/** What the model wants to use, as it is to be done. */
export function pendingCalls(text: string, calls: readonly LanguageModelV4ToolCall[]): Pending {
  return { text, calls: calls.slice(0, callsAtMost), results: [] };
}

/** A call as the model is reminded of it; arguments that are no JSON it is told of in the outcome. */
function callPart({ toolCallId, toolName, input }: LanguageModelV4ToolCall): LanguageModelV4ToolCallPart {
  try {
    return { type: "tool-call", toolCallId, toolName, input: JSON.parse(input || "{}") };
  } catch {
    return { type: "tool-call", toolCallId, toolName, input: {} };
  }
}

const refusals: Readonly<Record<Exclude<Decided["status"], "approved">, string>> = {
  denied: "Whoever decides about this did not allow it.",
  cancelled: "The person does not want this any more.",
  expired: "Nobody allowed this in time.",
};

/** A call that somebody has decided about, done or not. */
async function* useDecided(turn: Turn, tools: readonly Tool[], call: LanguageModelV4ToolCall, decided: Decided) {
  const { approval_id, status, params, note } = decided;
  if (status !== "approved") {
    const refusal = refusals[status];
    return asResult(call, failure(note ? `${refusal} They say: ${note}` : refusal));
  }
  const edited = { ...call, input: JSON.stringify(params) };
  const use = prepared(tools, edited);
  const result = "problem" in use ? asResult(call, failure(use.problem)) : yield* runTool(turn, use, edited);
  const done = result.output.type !== "error-text";
  await noteResult(
    turn.principal,
    approval_id,
    done ? { status: "done" } : { status: "failed", message: String("value" in result.output && result.output.value) },
  );
  return result;
}

async function* useOne(turn: Turn, tools: readonly Tool[], call: LanguageModelV4ToolCall) {
  const { decided } = turn;
  turn.decided = null;
  if (decided) return yield* useDecided(turn, tools, call, decided);
  const use = prepared(tools, call);
  if ("problem" in use) return asResult(call, failure(use.problem));
  if (turn.signOff) yield* pauseFor(turn, use);
  return yield* runTool(turn, use, call);
}

/**
 * Uses what the model wants to use, one after the other, and tells it what came of it.
 * @throws RunPaused where somebody has to allow it first
 */
export async function* useTools(
  turn: Turn,
  tools: readonly Tool[],
  { text, calls, results }: Pending,
): AsyncGenerator<RunEvent, void> {
  for (const call of calls.slice(results.length)) results.push(yield* useOne(turn, tools, call));
  turn.prompt.push(
    { role: "assistant", content: [...(text ? [{ type: "text", text } as const] : []), ...calls.map(callPart)] },
    { role: "tool", content: results },
  );
  turn.pending = null;
}
