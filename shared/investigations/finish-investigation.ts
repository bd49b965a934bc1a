import { findMessage } from "../conversations/message-store.ts";
import { TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { settleBudgetWrite } from "./budget-store.ts";
import { compileResult } from "./compile-result.ts";
import { findInvestigation, type InvestigationRef, investigationChange } from "./investigation-store.ts";
import { readPlaces, returnPlaceWrite } from "./places.ts";
import { readRecords } from "./record-store.ts";
import { scheduleStart } from "./schedule.ts";

/** Maximum number of attempts if other investigations start or end concurrently. */
const MAX_ATTEMPTS = 12;

/**
 * Ends an investigation whose answer is stored, whether its run completed, was stopped, or its function died. One
 * transaction stores the result, settles the budget and frees its place within the limit of concurrent investigations,
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
    ended_at: timestamp(),
  } as const;
  const result = await compileResult(scope, { ...investigation, ...ended }, await readRecords(scope, ref.id));
  const { verdict, cause } = result;
  const used = { tokens: answer.usage?.total_tokens ?? 0, costUsd: answer.usage?.cost_usd ?? null };
  for (let attempt = 1; ; attempt++) {
    const returned = returnPlaceWrite(scope, await readPlaces(scope), ref.id);
    try {
      return await tenantTable(scope).transact([
        investigationChange(scope, ref, ["running", "waiting"], { ...ended, verdict, cause, result }),
        ...(budget_day === null
          ? []
          : [settleBudgetWrite(scope, channel_id, { day: budget_day, tokens: reserved_tokens }, used)]),
        ...(returned ? [returned] : []),
      ]);
    } catch (error) {
      if (!(error instanceof TransactionFailed) || attempt === MAX_ATTEMPTS) throw error;
      // Another delivery of the same change was faster.
      if (error.failures[0]) return;
    }
  }
}

/** Ends an investigation after its answer was stored, and schedules the start of the next one. Idempotent. */
export async function finishInvestigation(scope: TenantScope, ref: InvestigationRef, messageId: string): Promise<void> {
  await end(scope, ref, messageId);
  await scheduleStart(scope);
}

/**
 * Marks an investigation as waiting for an approval, and frees its place within the limit of concurrent investigations
 * for another one.
 */
export async function suspendInvestigation(scope: TenantScope, ref: InvestigationRef): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const returned = returnPlaceWrite(scope, await readPlaces(scope), ref.id);
    try {
      await tenantTable(scope).transact([
        investigationChange(scope, ref, ["running"], { status: "waiting" }),
        ...(returned ? [returned] : []),
      ]);
      return await scheduleStart(scope);
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      // It has ended in the meantime.
      if (error.failures[0]) return;
    }
  }
}
