import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../api/approvals.ts";
import { asOfNow, getApproval } from "../data/approval-store.ts";
import { endWait, takePausedRun } from "../data/paused-run-store.ts";
import { readLog } from "../data/run-store.ts";
import type { TenantScope } from "../data/tenant-scope.ts";
import { isTerminal } from "./events.ts";
import { launchRun } from "./run.ts";
import { runEnding } from "./run-ending.ts";
import type { DecidedRun } from "./schedule-continuation.ts";
import type { Turn } from "./turn.ts";
import { scheduleWatch } from "./watch-run.ts";

/** How long a run that goes on may take, in milliseconds: as long as its function. */
const longestRun = 15 * 60_000;

/** How long the function that paused the run may still be writing its log, in milliseconds. */
const logPatience = 10_000;

/** Where a run's log ends, once it holds what the run paused for; null where the run was closed meanwhile. */
async function endOfLog(scope: TenantScope, messageId: string, approvalId: string): Promise<number | null> {
  const patience = AbortSignal.timeout(logPatience);
  for (;;) {
    const { frames } = await readLog(scope, messageId);
    const last = frames.at(-1);
    if (last && isTerminal(last.event)) return null;
    const isWhole = last?.event.type === "preflight_warning" && last.event.data.approval_id === approvalId;
    if (isWhole || patience.aborted) return last?.seq ?? 0;
    await sleep(100);
  }
}

/** The turn as it was put aside, with what was decided about the use of the tool it paused for. */
function restored(state: string, { id, status, action, note }: Approval, signal: AbortSignal): Turn {
  if (status === "pending") throw new Error("An approval that was not decided yet");
  const decided = { approval_id: id, status, params: action.params, note };
  return { ...(JSON.parse(state) as Omit<Turn, "signal">), signal, decided };
}

/** Goes on with a run that waited for somebody's word, into the same log; once, however often this is called. */
export async function continueRun({ tenantId, messageId, approvalId }: DecidedRun): Promise<void> {
  const scope = { tenantId };
  const approval = asOfNow(await getApproval(scope, approvalId));
  await endWait(scope, messageId);
  const state = await takePausedRun(scope, messageId, approvalId);
  if (state === null) return;
  const afterSeq = await endOfLog(scope, messageId, approvalId);
  if (afterSeq === null) return;
  await scheduleWatch({ tenantId, messageId });
  const ending = runEnding(longestRun);
  const turn = restored(state, approval, ending.signal);
  await launchRun(turn, ending, afterSeq).finished;
}
