import type { ApprovalDecider } from "../api/governance/approvals.ts";
import { newApproval } from "../governance/approvals/approval-store.ts";
import type { RunEvent } from "../runs/events.ts";
import { pauseRun } from "../runs/paused-run-store.ts";
import { RunEnded } from "../runs/run-controller.ts";
import type { ToolUse } from "./tools/run-tool.ts";
import type { Turn } from "./turn.ts";
import { serializeTurn } from "./turn-state.ts";

/** The run is paused pending approval; another function resumes it after the decision. */
export class RunPaused extends Error {
  override name = "RunPaused";
}

/**
 * Requests approval for a tool call and pauses the turn.
 * @throws RunPaused, or RunEnded if the run was asked to stop
 */
export async function* pauseForApproval(
  turn: Turn,
  { tool, input }: ToolUse,
  decider: ApprovalDecider,
): AsyncGenerator<RunEvent, never> {
  const { principal, run } = turn;
  const approval = {
    ...newApproval(principal.userId, {
      type: "tool_execution",
      risk_level: turn.riskLevel,
      reason: null,
      decider,
      action: { operation: tool.name, params: input as Record<string, unknown> },
    }),
    run: { message_id: run.message_id, conversation_id: run.conversation_id },
  };
  const isPaused = await pauseRun(principal, approval, serializeTurn(turn));
  if (!isPaused) throw new RunEnded("stopped");
  const message =
    decider === "approver"
      ? "This tool call requires approval; the reply continues once it is approved."
      : "The assistant proposes this after reading text that others wrote; confirm it to continue, or cancel it.";
  yield { type: "preflight_warning", data: { code: "approval_required", approval_id: approval.id, message } };
  throw new RunPaused("The run is paused pending approval");
}
