import { findMessage } from "../conversations/message-store.ts";
import { TransactionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { retry } from "../lib/retry.ts";
import { settleBudgetWrite } from "./budget-store.ts";
import { compileResult } from "./compile-result.ts";
import { findInvestigation, type InvestigationRef, investigationChange } from "./investigation-store.ts";
import { readRecords } from "./record-store.ts";
import { scheduleStart } from "./schedule.ts";
import { readSlots, returnSlotWrite } from "./slots.ts";

/** Maximum number of attempts if other investigations start or end concurrently. */
const MAX_ATTEMPTS = 12;

/**
 * Frees the slot of an investigation in one transaction with other writes.
 * @param writes the change of the investigation first
 * @returns false if its state does not allow the change
 */
const returnSlot = (scope: TenantScope, ref: InvestigationRef, writes: readonly Write[]): Promise<boolean> =>
  retry(
    async () => {
      const returned = returnSlotWrite(scope, await readSlots(scope), ref.id);
      try {
        await tenantTable(scope).transact([...writes, ...(returned ? [returned] : [])]);
        return true;
      } catch (error) {
        if (error instanceof TransactionFailed && error.failures[0]) return false;
        throw error;
      }
    },
    { maxAttempts: MAX_ATTEMPTS, isRetryable: (error) => error instanceof TransactionFailed },
  );

/**
 * Ends an investigation whose answer is stored, whether its run completed, was stopped, or its function died. One
 * transaction stores the result, settles the budget and frees its slot within the limit of concurrent investigations,
 * so that repeated calls have no effect.
 */
async function end(scope: TenantScope, ref: InvestigationRef, messageId: string): Promise<void> {
  const [investigation, answer] = await Promise.all([
    findInvestigation(scope, ref),
    findMessage(scope, ref.conversation_id, messageId),
  ]);
  if (!investigation || !answer || answer.status === "streaming") return;
  const { status, channel_id, budget_day, reserved_tokens } = investigation;
  if (status !== "running" && status !== "waiting") return;
  const ended = {
    status: answer.status === "complete" ? "completed" : answer.status,
    reason: answer.error?.code ?? null,
    usage: answer.usage,
    model: answer.model,
    persona_version: answer.persona_version ?? null,
    ended_at: timestamp(),
  } as const;
  const result = await compileResult(scope, { ...investigation, ...ended }, await readRecords(scope, ref.id));
  const { verdict, cause } = result;
  const used = { tokens: answer.usage?.total_tokens ?? 0, costUsd: answer.usage?.cost_usd ?? null };
  // Changes nothing if another delivery of the same change was faster.
  await returnSlot(scope, ref, [
    investigationChange(scope, ref, ["running", "waiting"], { ...ended, verdict, cause, result }),
    ...(budget_day === null
      ? []
      : [settleBudgetWrite(scope, channel_id, { day: budget_day, tokens: reserved_tokens }, used)]),
  ]);
}

/** Ends an investigation after its answer was stored, and schedules the start of the next one. Idempotent. */
export async function finishInvestigation(scope: TenantScope, ref: InvestigationRef, messageId: string): Promise<void> {
  await end(scope, ref, messageId);
  await scheduleStart(scope);
}

/**
 * Marks an investigation as waiting for an approval, and frees its slot within the limit of concurrent investigations
 * for another one.
 */
export async function suspendInvestigation(scope: TenantScope, ref: InvestigationRef): Promise<void> {
  const change = investigationChange(scope, ref, ["running"], { status: "waiting" });
  // Changes nothing if the investigation has ended concurrently.
  if (await returnSlot(scope, ref, [change])) await scheduleStart(scope);
}
