import type { ApprovalDecider } from "../api/governance/approvals.ts";
import { findAnsweredEvent } from "../api/messengers/event-ref.ts";
import type { Question } from "../api/tools/questions.ts";
import { newApproval, type StoredApproval } from "../governance/approvals/approval-store.ts";
import { now } from "../lib/clock.ts";
import type { RunEvent } from "../runs/events.ts";
import { handOverRun, pauseRun } from "../runs/pauses/paused-run-store.ts";
import { RunEnded } from "../runs/run-controller.ts";
import type { ToolUse } from "./tools/run-tool.ts";
import type { Turn } from "./turn.ts";
import { serializeTurn } from "./turn-state.ts";

/** The run is paused; another function resumes it after the decision on its approval, or at once. */
export class RunPaused extends Error {
  override name = "RunPaused";
}

/** Consent that a tool call needs. */
export interface Consent {
  readonly decider: ApprovalDecider;
  /**
   * `policy`: the tool always needs it. `untrusted`: the model has read text of others. `unresolved`: an earlier call may
   * have taken effect. `sign_in`: the user has not signed in to the server.
   */
  readonly reason: "policy" | "untrusted" | "unresolved" | "sign_in";
}

const confirmations: Readonly<Record<Consent["reason"], string>> = {
  policy: "The assistant asks to use this tool; confirm it to continue, or cancel it.",
  untrusted: "The assistant proposes this after reading text that others wrote; confirm it to continue, or cancel it.",
  unresolved:
    "An earlier call of this tool may have taken effect, because its result was lost. Confirm another call, or cancel it.",
  sign_in: "The tool acts with your account on its server. Sign in there to continue, or cancel the call.",
};

/** Creates the approval of a tool call for which a turn pauses. */
function newToolApproval(
  { principal, run, riskLevel }: Turn,
  { tool, input }: ToolUse,
  decider: ApprovalDecider,
  isSignIn: boolean,
): StoredApproval {
  const messengerEvent = findAnsweredEvent(run);
  return {
    ...newApproval(principal.userId, {
      type: "tool_execution",
      risk_level: riskLevel,
      reason: tool.pinned ? tool.title : null,
      decider,
      action: { operation: tool.name, params: input as Record<string, unknown> },
    }),
    run: {
      message_id: run.message_id,
      conversation_id: run.conversation_id,
      ...(tool.pinned && { tool: tool.pinned }),
      ...(messengerEvent && { messenger_event: messengerEvent }),
      ...(isSignIn && { is_sign_in: true }),
    },
  };
}

/**
 * Requests approval for a tool call and pauses the turn.
 * @throws RunPaused, or RunEnded if the run was asked to stop
 */
export async function* pauseForApproval(
  turn: Turn,
  use: ToolUse,
  { decider, reason }: Consent,
): AsyncGenerator<RunEvent, never> {
  const { tool } = use;
  const approval = newToolApproval(turn, use, decider, reason === "sign_in");
  const waitSeconds = Math.ceil((Date.parse(approval.expires_at) - now()) / 1_000);
  const signIn = reason === "sign_in" ? await tool.startSignIn?.(approval.id, waitSeconds) : undefined;
  const isPaused = await pauseRun(turn.principal, approval, serializeTurn(turn));
  if (!isPaused) throw new RunEnded("stopped");
  const message =
    decider === "approver"
      ? "This tool call requires approval; the reply continues once it is approved."
      : confirmations[reason];
  const warning = { approval_id: approval.id, message };
  yield {
    type: "preflight_warning",
    data: signIn
      ? { code: "sign_in_required", ...warning, server_id: tool.pinned?.server_id, sign_in_url: signIn.url }
      : { code: "approval_required", ...warning },
  };
  throw new RunPaused("The run is paused pending approval");
}

/**
 * Asks the user the questions of a tool and pauses the turn.
 * @throws RunPaused, or RunEnded if the run was asked to stop
 */
export async function* pauseForQuestions(
  turn: Turn,
  use: ToolUse,
  questions: readonly Question[],
): AsyncGenerator<RunEvent, never> {
  const approval = { ...newToolApproval(turn, use, "requester", false), questions: [...questions] };
  const isPaused = await pauseRun(turn.principal, approval, serializeTurn(turn));
  if (!isPaused) throw new RunEnded("stopped");
  const message = "The tool asks a question. Answer it to continue, or cancel the call.";
  yield { type: "preflight_warning", data: { code: "input_required", approval_id: approval.id, message } };
  throw new RunPaused("The run is paused pending answers");
}

/** Code of the event with which a run that is handed over ends in its first function. */
export const handOverCode = "handed_over";

/** Time that a turn needs after a tool call, to write its answer. */
const ANSWER_TIME_MS = 120_000;

/**
 * Hands a turn over to another function if the current one ends before a call could: a call that is open then would be cut off, and its
 * outcome unknown. Answers to visitors and investigations, whose time is limited, are not handed over.
 * @param timeoutMs maximum duration of the call
 * @throws RunPaused, or RunEnded if the run was asked to stop
 */
export async function* handOverBefore(turn: Turn, timeoutMs: number): AsyncGenerator<RunEvent, void> {
  const { principal, run, incident, endsAt } = turn;
  if (timeoutMs === 0 || now() + timeoutMs + ANSWER_TIME_MS <= endsAt) return;
  if (principal.kind !== "user" || incident?.investigation) return;
  const isHandedOver = await handOverRun(principal, run.message_id, serializeTurn(turn));
  if (!isHandedOver) throw new RunEnded("stopped");
  const message = "The next step can take long, so it continues in another process.";
  yield { type: "preflight_warning", data: { code: handOverCode, message } };
  throw new RunPaused("The run is handed over");
}
