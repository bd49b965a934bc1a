import type { LanguageModelV4ToolCall, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import type { ApprovalDecider } from "../../api/governance/approvals.ts";
import { recordResult } from "../../governance/approvals/approval-store.ts";
import type { RunEvent } from "../../runs/events.ts";
import { hasReadUntrusted } from "../has-read-untrusted.ts";
import { pauseForApproval } from "../pause-turn.ts";
import type { PendingToolCalls, ToolDecision, Turn } from "../turn.ts";
import { errorOutput, prepareToolUse, runTool, toToolResult } from "./run-tool.ts";
import type { Tool } from "./tool.ts";

/** Maximum number of tool calls that are executed per model response. */
const MAX_CALLS_PER_RESPONSE = 5;

/** Creates the state of executing a response's tool calls. */
export function toPendingToolCalls(text: string, calls: readonly LanguageModelV4ToolCall[]): PendingToolCalls {
  return { text, calls: calls.slice(0, MAX_CALLS_PER_RESPONSE), results: [] };
}

/**
 * Creates the prompt part that repeats a tool call. Invalid JSON input is replaced by an empty object; the call's
 * result reports the error.
 */
function toCallPart({ toolCallId, toolName, input }: LanguageModelV4ToolCall): LanguageModelV4ToolCallPart {
  try {
    return { type: "tool-call", toolCallId, toolName, input: JSON.parse(input || "{}") };
  } catch {
    return { type: "tool-call", toolCallId, toolName, input: {} };
  }
}

const refusals: Readonly<Record<Exclude<ToolDecision["status"], "approved">, string>> = {
  denied: "The approver denied this tool call.",
  cancelled: "The user canceled this tool call.",
  expired: "This tool call was not approved in time.",
};

/** Executes a call if it was approved, and records the result on the approval. */
async function* executeDecidedCall(
  turn: Turn,
  tools: readonly Tool[],
  call: LanguageModelV4ToolCall,
  decision: ToolDecision,
) {
  const { approval_id, status, params, note } = decision;
  if (status !== "approved") {
    const refusal = refusals[status];
    return toToolResult(call, errorOutput(note ? `${refusal} Note: ${note}` : refusal));
  }
  const editedCall = { ...call, input: JSON.stringify(params) };
  const use = prepareToolUse(tools, editedCall);
  const result =
    "problem" in use ? toToolResult(call, errorOutput(use.problem)) : yield* runTool(turn, use, editedCall);
  const isDone = result.output.type !== "error-text";
  await recordResult(
    turn.principal,
    approval_id,
    isDone
      ? { status: "done" }
      : { status: "failed", message: String("value" in result.output && result.output.value) },
  );
  return result;
}

/** Returns the role that must approve a tool call, or null if the call requires no approval. */
function findDecider(turn: Turn, tool: Tool): ApprovalDecider | null {
  if (turn.requiresApproval) return "approver";
  return tool.hasEffect && hasReadUntrusted(turn) ? "requester" : null;
}

async function* executeCall(turn: Turn, tools: readonly Tool[], call: LanguageModelV4ToolCall) {
  const { toolDecision } = turn;
  turn.toolDecision = null;
  if (toolDecision) return yield* executeDecidedCall(turn, tools, call, toolDecision);
  const use = prepareToolUse(tools, call);
  if ("problem" in use) return toToolResult(call, errorOutput(use.problem));
  const decider = findDecider(turn, use.tool);
  if (decider) yield* pauseForApproval(turn, use, decider);
  return yield* runTool(turn, use, call);
}

/**
 * Executes the model's tool calls in sequence and adds calls and results to the prompt.
 * @throws RunPaused if a call requires approval
 */
export async function* useTools(
  turn: Turn,
  tools: readonly Tool[],
  { text, calls, results }: PendingToolCalls,
): AsyncGenerator<RunEvent, void> {
  for (const call of calls.slice(results.length)) results.push(yield* executeCall(turn, tools, call));
  turn.prompt.push(
    { role: "assistant", content: [...(text ? [{ type: "text", text } as const] : []), ...calls.map(toCallPart)] },
    { role: "tool", content: results },
  );
  turn.pendingToolCalls = null;
}
