import { newApproval } from "../governance/approvals/approval-store.ts";
import { RunEnded } from "../runs/end-reason.ts";
import type { RunEvent } from "../runs/events.ts";
import { pauseRun } from "../runs/paused-run-store.ts";
import type { ToolUse } from "./tools/run-tool.ts";
import type { Turn } from "./turn.ts";

/** The run waits for somebody's word; where that is given, another function goes on with it. */
export class RunPaused extends Error {
  override name = "RunPaused";
}

/**
 * Asks for somebody's word on the use of a tool, and puts the turn aside until it comes.
 * @throws RunPaused, or RunEnded where somebody wanted the run to end
 */
export async function* pauseFor(turn: Turn, { tool, input }: ToolUse): AsyncGenerator<RunEvent, never> {
  const { principal, run, signal, ...state } = turn;
  const approval = {
    ...newApproval(principal.userId, {
      type: "tool_execution",
      risk_level: turn.riskLevel,
      reason: null,
      action: { operation: tool.name, params: input as Record<string, unknown> },
    }),
    run: { message_id: run.message_id, conversation_id: run.conversation_id },
  };
  const waits = await pauseRun(principal, approval, JSON.stringify({ ...state, principal, run }));
  if (!waits) throw new RunEnded("stopped");
  const message = "The use of a tool has to be allowed first; the answer goes on when it is.";
  yield { type: "preflight_warning", data: { code: "approval_required", approval_id: approval.id, message } };
  throw new RunPaused("The run waits for an approval");
}
