import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../api/governance/approvals.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { recordResult } from "../governance/approvals/approval-result.ts";
import { getApproval, type StoredApproval, withCurrentStatus } from "../governance/approvals/approval-store.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { recallTenantModels } from "../personas/tenant-models.ts";
import { isTerminal, type RunEvent } from "../runs/events.ts";
import { resumePausedRun } from "../runs/pauses/paused-run-store.ts";
import type { DecidedRun, HandedOverRun } from "../runs/pauses/schedule-continuation.ts";
import { cancelPausedRun, reapDeadRun } from "../runs/reap-dead-run.ts";
import { FUNCTION_TIMEOUT_MS, RunController } from "../runs/run-controller.ts";
import { readRunLogEnd } from "../runs/run-log-store.ts";
import { findRun, removeOrphanedRun, type StoredRun } from "../runs/run-store.ts";
import { scheduleRunCheck } from "../runs/run-watchdog.ts";
import { attachInvestigation } from "./attached-investigation.ts";
import { attachTools } from "./attached-tools.ts";
import { investigationSteps } from "./investigation/investigate.ts";
import { launchTurn } from "./launch-turn.ts";
import { handOverCode } from "./pause-turn.ts";
import type { ToolDecision, Turn } from "./turn.ts";
import { deserializeTurn } from "./turn-state.ts";

/** Maximum time to wait until the function that paused the run has written its last log segment. */
const LOG_FLUSH_TIMEOUT_MS = 10_000;

/**
 * Returns true for the event that a run emits last before it pauses for this approval, or, if `approvalId` is null,
 * before it is handed over.
 */
function isPause({ type, data }: RunEvent, approvalId: string | null): boolean {
  if (type !== "preflight_warning") return false;
  return approvalId === null ? data.code === handOverCode : data.approval_id === approvalId;
}

/**
 * Waits until the log contains the event with which the run paused, at most `LOG_FLUSH_TIMEOUT_MS`.
 * @returns the last sequence number in the log, or null if the run has ended
 */
async function waitForPauseEvent(
  scope: TenantScope,
  messageId: string,
  approvalId: string | null,
): Promise<number | null> {
  const timeout = AbortSignal.timeout(LOG_FLUSH_TIMEOUT_MS);
  for (;;) {
    const { last } = await readRunLogEnd(scope, messageId);
    if (last && isTerminal(last.event)) return null;
    if ((last && isPause(last.event, approvalId)) || timeout.aborted) return last?.seq ?? 0;
    await sleep(100);
  }
}

/** Returns true if the user can still write to the conversation. The access may have been revoked during the pause. */
async function canPost(scope: TenantScope, { user_id, conversation_id }: StoredRun): Promise<boolean> {
  try {
    await authorizeConversation({ ...scope, userId: user_id }, conversation_id, "WRITE");
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/**
 * Returns true if the run has ended or its conversation was deleted. Deletes the run of a deleted conversation, and
 * ends a run whose function has stopped without ending it.
 */
async function hasEnded(scope: TenantScope, run: StoredRun): Promise<boolean> {
  return (await removeOrphanedRun(scope, run)) || (await reapDeadRun(scope, run)).state === "ended";
}

/** Records an approved tool call as failed if its run has ended, because no function will execute it. */
async function markAbandoned(scope: TenantScope, run: StoredRun | undefined, { id, status }: Approval): Promise<void> {
  if (status !== "approved" || (run && !(await hasEnded(scope, run)))) return;
  await recordResult(scope, id, { status: "failed", message: "The reply that requested this has already ended." });
}

function toToolDecision({ id, status, action, note, run, answers }: StoredApproval): ToolDecision {
  if (status === "pending") throw new Error("The approval has not been decided");
  const isSignIn = run?.is_sign_in === true;
  const definition_hash = run?.tool?.definition_hash;
  return { approval_id: id, status, params: action.params, note, definition_hash, answers, isSignIn };
}

async function restoreTurn(state: string, toolDecision: ToolDecision | null, signal: AbortSignal): Promise<Turn> {
  const turn = deserializeTurn(state, signal);
  turn.answer.toolDecision = toolDecision;
  await recallTenantModels(turn.principal, [turn.run.model, turn.answer.modelId, turn.persona?.model ?? null]);
  await attachTools(turn);
  if (turn.incident?.investigation) attachInvestigation(turn, investigationSteps);
  return turn;
}

/**
 * Resumes a run after its approval was decided or after another function handed it over, and appends to the run's log.
 * `tools/use-tools.ts` executes the decided tool call. Idempotent.
 */
export async function continueRun(paused: DecidedRun | HandedOverRun): Promise<void> {
  const startedAt = now();
  const { tenantId, messageId } = paused;
  const scope = { tenantId };
  const approval = "approvalId" in paused ? withCurrentStatus(await getApproval(scope, paused.approvalId)) : null;
  const run = await findRun(scope, messageId);
  const abandon = async () => {
    if (approval) await markAbandoned(scope, run, approval);
  };
  if (!run) return abandon();
  if (!(await canPost(scope, run))) await cancelPausedRun(scope, run);
  const cause = "approvalId" in paused ? { approval_id: paused.approvalId } : { hand_over_id: paused.handOverId };
  const resumed = await resumePausedRun(scope, messageId, cause);
  if (!resumed) return abandon();
  // At once: only a check that knows the latest resumption exports the trace of the run.
  const resumedBy = "approvalId" in paused ? paused.approvalId : paused.handOverId;
  await scheduleRunCheck({ tenantId, messageId, resumedBy });
  const afterSeq = await waitForPauseEvent(scope, messageId, approval?.id ?? null);
  if (afterSeq === null) return abandon();
  const controller = new RunController(FUNCTION_TIMEOUT_MS - (now() - startedAt));
  const turn = await restoreTurn(resumed.state, approval && toToolDecision(approval), controller.signal);
  await launchTurn(turn, controller, { afterSeq }).finished;
}
