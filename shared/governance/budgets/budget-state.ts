import type { Budget, BudgetState, BudgetWithState } from "../../api/governance/budgets.ts";
import { TENANT_LEDGER } from "../../dynamodb/items/governance/budget-ledger.item.ts";
import type { Item } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { timestamp } from "../../lib/clock.ts";
import { type BudgetInWindow, toApplied, toLimit } from "./applied-budgets.ts";
import { findLedger, takenName, unpricedPrefix, usedName } from "./ledger-store.ts";

const toTimestamp = (at: number | null) => (at === null ? null : timestamp(at));

/** Returns the state of a budget for the API. `admit-answer.ts` decides whether an answer fits into the budgets. */
export function toState({ budget, counter, window }: BudgetInWindow, ledger: Item | undefined): BudgetState {
  const taken = Number(ledger?.[takenName(counter)] ?? 0);
  const used = Number(ledger?.[usedName(counter)] ?? 0);
  const toUnit = (amount: number) => (budget.unit === "usd" ? amount / 1_000_000 : amount);
  const prefix = unpricedPrefix(counter);
  const unpriced = Object.entries(ledger ?? {})
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, tokens]) => ({
      model: Buffer.from(name.slice(prefix.length), "hex").toString(),
      total_tokens: Number(tokens),
    }));
  return {
    starts_at: toTimestamp(window.startsAt),
    resets_at: toTimestamp(window.resetsAt),
    used: toUnit(used),
    reserved: toUnit(taken - used),
    remaining: toUnit(Math.max(0, toLimit(budget) - taken)),
    unpriced,
  };
}

/**
 * Adds the current state to each budget. It is null for a budget that each user, key, group or persona has, because it
 * has many counters.
 */
export async function withStates(scope: TenantScope, budgets: readonly Budget[]): Promise<BudgetWithState[]> {
  const ledger = budgets.length > 0 ? await findLedger(scope, TENANT_LEDGER) : undefined;
  return budgets.map((budget) => {
    const applied = toApplied(budget, null);
    return { ...budget, current: applied.ledger === TENANT_LEDGER ? toState(applied, ledger) : null };
  });
}
