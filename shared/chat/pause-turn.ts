import type { ApprovalDecider } from "../api/governance/approvals.ts";
import type { Question } from "../api/tools/questions.ts";
import type { ConsentExtent } from "../api/tools/tool-server.ts";
import { newApproval, type StoredApproval } from "../governance/approvals/approval-store.ts";
import { now } from "../lib/clock.ts";
import type { PendingCall, RunEvent } from "../runs/events.ts";
import { handOverRun, pauseRun } from "../runs/pauses/paused-run-store.ts";
import { RunEnded } from "../runs/run-controller.ts";
import type { ToolUse } from "./tools/run-tool.ts";
import type { Turn } from "./turn.ts";
import { serializeTurn } from "./turn-state.ts";

/**
 * Thrown to leave a turn whose run is paused. Another function resumes the run after the decision on its approval, or
 * immediately if it was handed over.
 */
export class RunPaused extends Error {
  override name = "RunPaused";
}

export interface Consent {
  readonly decider: ApprovalDecider;
  /**
   * `policy`: the tool or the tenant's policy always requires consent. `untrusted`: the model has read untrusted text.
   * `unresolved`: the outcome of an earlier call is unknown. `sign_in`: the user has not signed in to the tool's
   * server.
   */
  readonly reason: "policy" | "untrusted" | "unresolved" | "sign_in";
  /** Longest extent for which the consent can be remembered; absent if it would not cover later calls. */
  readonly remember?: ConsentExtent | undefined;
}

const confirmations: Readonly<Record<Consent["reason"], string>> = {
  policy: "The assistant asks to use this tool; confirm it to continue, or cancel it.",
  untrusted: "The assistant proposes this after reading text that others wrote; confirm it to continue, or cancel it.",
  unresolved:
    "An earlier call of this tool may have taken effect, because its result was lost. Confirm another call, or cancel it.",
  sign_in: "The tool acts with your account on its server. Sign in there to continue, or cancel the call.",
};

function newToolApproval(
  { principal, run, riskLevel }: Turn,
  { tool, input }: ToolUse,
  { decider, reason, remember }: Pick<Consent, "decider"> & Partial<Consent>,
): StoredApproval {
  const messengerEvent = run.messenger_event;
  return {
    ...newApproval(principal.userId, {
      type: "tool_execution",
      risk_level: riskLevel,
      reason: tool.pinned ? tool.title : null,
      decider,
      action: { operation: tool.name, params: input as Record<string, unknown> },
    }),
    // Visitors are asked each time.
    ...(remember && remember !== "never" && principal.kind === "user" && { remember }),
    run: {
      message_id: run.message_id,
      conversation_id: run.conversation_id,
      ...(tool.pinned && { tool: tool.pinned }),
      ...(messengerEvent && { messenger_event: messengerEvent }),
      ...(reason === "sign_in" && { is_sign_in: true }),
    },
  };
}

/** Returns what a visitor sees of a call before it. */
const toShown = ({ tool, input }: ToolUse, reason: Consent["reason"]): PendingCall["shown"] => ({
  arguments: tool.shownArguments?.(input) ?? [],
  ...(reason === "unresolved" && { is_repeated: true }),
});

/**
 * Stores an approval request for a tool call and pauses the turn. Always throws.
 * @throws RunPaused, or RunEnded if the run was asked to stop
 */
export async function* pauseForApproval(
  turn: Turn,
  use: ToolUse,
  call: PendingCall,
  consent: Consent,
): AsyncGenerator<RunEvent, never> {
  const { principal } = turn;
  const { tool } = use;
  const { decider, reason } = consent;
  const approval = newToolApproval(turn, use, consent);
  const waitSeconds = Math.ceil((Date.parse(approval.expires_at) - now()) / 1_000);
  const signIn = reason === "sign_in" ? await tool.startSignIn?.(waitSeconds) : undefined;
  const isPaused = await pauseRun(principal, approval, serializeTurn(turn));
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
    ...(!signIn && { call: principal.kind === "visitor" ? { ...call, shown: toShown(use, reason) } : call }),
  };
  throw new RunPaused("The run is paused pending approval");
}

/**
 * Stores the questions that a tool asks the user and pauses the turn. Always throws.
 * @throws RunPaused, or RunEnded if the run was asked to stop
 */
export async function* pauseForQuestions(
  turn: Turn,
  use: ToolUse,
  questions: readonly Question[],
): AsyncGenerator<RunEvent, never> {
  const approval = { ...newToolApproval(turn, use, { decider: "requester" }), questions: [...questions] };
  const isPaused = await pauseRun(turn.principal, approval, serializeTurn(turn));
  if (!isPaused) throw new RunEnded("stopped");
  const asker = use.tool.pinned ? "tool" : "assistant";
  const message = `The ${asker} asks a question. Answer it to continue, or cancel the call.`;
  yield { type: "preflight_warning", data: { code: "input_required", approval_id: approval.id, message } };
  throw new RunPaused("The run is paused pending answers");
}

/** Code of the last event that a run emits before another function resumes it. */
export const handOverCode = "handed_over";

/** Time to reserve for the answer after a tool call, in milliseconds. */
const ANSWER_TIME_MS = 120_000;

/**
 * Hands the turn over to another function if this one could reach its timeout during a tool call, whose outcome would
 * then be unknown. Turns of visitors and of investigations have their own time limits and are never handed over.
 * @param timeoutMs maximum duration of the call; 0 for none
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
