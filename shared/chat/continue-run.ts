import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../api/governance/approvals.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { recordResult } from "../governance/approvals/approval-result.ts";
import { getApproval, type StoredApproval, withCurrentStatus } from "../governance/approvals/approval-store.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { recallTenantModels } from "../personas/tenant-models.ts";
import { isTerminal } from "../runs/events.ts";
import { resumePausedRun } from "../runs/pauses/paused-run-store.ts";
import type { DecidedRun } from "../runs/pauses/schedule-continuation.ts";
import { cancelPausedRun, reapDeadRun } from "../runs/reap-dead-run.ts";
import { createRunController } from "../runs/run-controller.ts";
import { readRunLogEnd } from "../runs/run-log-store.ts";
import { findRun, removeOrphanedRun, type StoredRun } from "../runs/run-store.ts";
import { scheduleRunCheck } from "../runs/run-watchdog.ts";
import { attachInvestigation } from "./attached-investigation.ts";
import { attachTools } from "./attached-tools.ts";
import { investigationSteps } from "./investigation/investigate.ts";
import { launchTurn } from "./launch-turn.ts";
import type { Turn } from "./turn.ts";
import { deserializeTurn } from "./turn-state.ts";

/** Timeout of the Lambda function that continues a run. */
const FUNCTION_TIMEOUT_MS = 15 * 60_000;

/** Time to wait for the function that paused the run to flush its log. */
const LOG_FLUSH_TIMEOUT_MS = 10_000;

/**
 * Waits until a run's log contains the event with which the run paused.
 * @returns the last sequence number in the log, or null if the run has ended
 */
async function waitForPauseEvent(scope: TenantScope, messageId: string, approvalId: string): Promise<number | null> {
  const timeout = AbortSignal.timeout(LOG_FLUSH_TIMEOUT_MS);
  for (;;) {
    const { last } = await readRunLogEnd(scope, messageId);
    if (last && isTerminal(last.event)) return null;
    const hasPaused = last?.event.type === "preflight_warning" && last.event.data.approval_id === approvalId;
    if (hasPaused || timeout.aborted) return last?.seq ?? 0;
    await sleep(100);
  }
}

/** Returns true if the user can still post to the conversation; a grant may have been revoked during the pause. */
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
 * Returns true if the run has ended or its conversation was deleted. Removes a run whose conversation was deleted, and
 * ends a run whose function has died.
 */
async function hasEnded(scope: TenantScope, run: StoredRun): Promise<boolean> {
  return (await removeOrphanedRun(scope, run)) || (await reapDeadRun(scope, run)).state === "ended";
}

/** Records a failure as the result of an approval that was granted after its run had ended. */
async function markAbandoned(scope: TenantScope, run: StoredRun | undefined, { id, status }: Approval): Promise<void> {
  if (status !== "approved" || (run && !(await hasEnded(scope, run)))) return;
  await recordResult(scope, id, { status: "failed", message: "The reply that requested this has already ended." });
}

/** Restores a paused turn and adds the decision on the tool call that it paused for. */
async function restoreTurn(state: string, approval: StoredApproval, signal: AbortSignal): Promise<Turn> {
  const { id, status, action, note, run } = approval;
  if (status === "pending") throw new Error("The approval has not been decided");
  const definition_hash = run?.tool?.definition_hash;
  const toolDecision = {
    approval_id: id,
    status,
    params: action.params,
    note,
    definition_hash,
    answers: approval.answers,
    isSignIn: run?.is_sign_in === true,
  };
  const turn = { ...deserializeTurn(state, signal), toolDecision };
  await recallTenantModels(turn.principal, [turn.run.model, turn.modelId, turn.persona?.model ?? null]);
  await attachTools(turn);
  if (turn.incident?.investigation) attachInvestigation(turn, investigationSteps);
  return turn;
}

/** Continues a paused run after its approval was decided, appending to the same log. Idempotent. */
export async function continueRun({ tenantId, messageId, approvalId }: DecidedRun): Promise<void> {
  const startedAt = now();
  const scope = { tenantId };
  const approval = withCurrentStatus(await getApproval(scope, approvalId));
  const run = await findRun(scope, messageId);
  if (!run) return markAbandoned(scope, run, approval);
  if (!(await canPost(scope, run))) await cancelPausedRun(scope, run);
  const paused = await resumePausedRun(scope, messageId, approvalId);
  const afterSeq = paused && (await waitForPauseEvent(scope, messageId, approvalId));
  if (!paused || afterSeq === null) return markAbandoned(scope, run, approval);
  await scheduleRunCheck({ tenantId, messageId });
  const controller = createRunController(FUNCTION_TIMEOUT_MS - (now() - startedAt));
  const turn = await restoreTurn(paused.state, approval, controller.signal);
  await launchTurn(turn, controller, { afterSeq }).finished;
}
