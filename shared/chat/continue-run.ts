import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../api/governance/approvals.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { asOfNow, getApproval, noteResult } from "../governance/approvals/approval-store.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { isTerminal } from "../runs/events.ts";
import { wakePausedRun } from "../runs/paused-run-store.ts";
import { closeIfDead, endWaiting } from "../runs/reap-dead-run.ts";
import { runEnding } from "../runs/run-ending.ts";
import { findRun, readLogEnd, removeOrphan, type StoredRun } from "../runs/run-store.ts";
import { scheduleWatch } from "../runs/run-watchdog.ts";
import type { DecidedRun } from "../runs/schedule-continuation.ts";
import { launchTurn } from "./launch-turn.ts";
import type { Turn } from "./turn.ts";

/** How long the function may take that goes on with a run, in milliseconds. */
const functionTime = 15 * 60_000;

/** How long the function that paused the run may still be writing its log, in milliseconds. */
const logPatience = 10_000;

/** Where a run's log ends, once it holds what the run paused for; null where the run was closed meanwhile. */
async function endOfLog(scope: TenantScope, messageId: string, approvalId: string): Promise<number | null> {
  const patience = AbortSignal.timeout(logPatience);
  for (;;) {
    const { last } = await readLogEnd(scope, messageId);
    if (last && isTerminal(last.event)) return null;
    const isWhole = last?.event.type === "preflight_warning" && last.event.data.approval_id === approvalId;
    if (isWhole || patience.aborted) return last?.seq ?? 0;
    await sleep(100);
  }
}

/** Whether the asker may still speak where the answer goes: a grant may have been taken back while the run waited. */
async function maySpeak(scope: TenantScope, { user_id, conversation_id }: StoredRun): Promise<boolean> {
  try {
    await authorizeConversation({ ...scope, userId: user_id }, conversation_id, "WRITE");
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Whether nothing more comes of a run: it was closed, or its conversation deleted. */
async function hasEnded(scope: TenantScope, run: StoredRun): Promise<boolean> {
  return (await removeOrphan(scope, run)) || (await closeIfDead(scope, run)) === "ended";
}

/** Notes on an approval that came too late that nothing will come of it. */
async function noteUndone(scope: TenantScope, run: StoredRun | undefined, { id, status }: Approval): Promise<void> {
  if (status !== "approved" || (run && !(await hasEnded(scope, run)))) return;
  await noteResult(scope, id, { status: "failed", message: "The answer that this was for has ended." });
}

/** The turn as it was put aside, with what was decided about the use of the tool it paused for. */
function restored(state: string, { id, status, action, note }: Approval, signal: AbortSignal): Turn {
  if (status === "pending") throw new Error("An approval that was not decided yet");
  const decided = { approval_id: id, status, params: action.params, note };
  return { ...(JSON.parse(state) as Omit<Turn, "signal">), signal, decided };
}

/** Goes on with a run that waited for somebody's word, into the same log; once, however often this is called. */
export async function continueRun({ tenantId, messageId, approvalId }: DecidedRun): Promise<void> {
  const startedAt = now();
  const scope = { tenantId };
  const approval = asOfNow(await getApproval(scope, approvalId));
  const run = await findRun(scope, messageId);
  if (!run) return noteUndone(scope, run, approval);
  if (!(await maySpeak(scope, run))) await endWaiting(scope, run);
  const paused = await wakePausedRun(scope, messageId, approvalId);
  const afterSeq = paused && (await endOfLog(scope, messageId, approvalId));
  if (!paused || afterSeq === null) return noteUndone(scope, run, approval);
  await scheduleWatch({ tenantId, messageId });
  const ending = runEnding(functionTime - (now() - startedAt));
  const turn = restored(paused.state, approval, ending.signal);
  await launchTurn(turn, ending, afterSeq).finished;
}
