import type { Item } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { type Charges, type Estimate, toAmount } from "../../lib/charges.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { rateLimited, ServiceError } from "../../lib/errors.ts";
import { type BudgetCheck, type BudgetInWindow, isBudget, toLimit } from "./applied-budgets.ts";
import { listReservations, reserve, returnReservations, settleReservation, takenName } from "./ledger-store.ts";

/**
 * If a budget suffices for fewer answers than this, each answer reserves its estimate. Otherwise, the budget is only
 * read, and the change feed adds the consumption of many answers in one write, so that the counter does not limit a
 * tenant's throughput.
 */
const RESERVING_ANSWERS = 100;

/** `Retry-After` for a budget that never resets: its limit may have been raised by then. */
const DAY_MS = 24 * 3_600_000;

/** Age from which a reservation may belong to a function that crashed. Functions run for at most 15 minutes. */
const STALE_RESERVATION_MS = 16 * 60_000;

/** `Retry-After` for the limit of answers in progress. */
const CONCURRENCY_PAUSE_SECONDS = 2;

/** Creates the error for the limit of tokens per minute or of answers in progress. */
function limitReached({ budget, window }: BudgetInWindow): ServiceError {
  const resetAt = (window.resetsAt ?? now() + CONCURRENCY_PAUSE_SECONDS * 1_000) / 1_000;
  return rateLimited(Math.ceil(resetAt), now(), `The limit of ${budget.limit} ${budget.name} is reached. `);
}

function quotaExceeded(applied: BudgetInWindow, taken: number): ServiceError {
  const { budget, window } = applied;
  if (!isBudget(budget)) return limitReached(applied);
  const { id, name, scope, unit, limit } = budget;
  const resets_at = window.resetsAt === null ? null : timestamp(window.resetsAt);
  const used = unit === "usd" ? taken / 1_000_000 : taken;
  const amount = unit === "usd" ? `${limit} USD` : `${limit} ${unit}`;
  const period = budget.window === "total" ? "in total" : `a ${budget.window}`;
  const end = resets_at === null ? "" : ` It resets at ${resets_at}.`;
  return new ServiceError("quota_exceeded", `The budget "${name}" of ${amount} ${period} is used up.${end}`, {
    headers: { "retry-after": String(Math.ceil(((window.resetsAt ?? now() + DAY_MS) - now()) / 1_000)) },
    details: { quota: { budget_id: id, name, scope, unit, limit, used, window: budget.window, resets_at } },
  });
}

const takenOf = (item: Item | undefined, { counter }: BudgetInWindow) => Number(item?.[takenName(counter)] ?? 0);

const isExhausted = (item: Item | undefined, applied: BudgetInWindow) =>
  takenOf(item, applied) >= toLimit(applied.budget);

const hasStale = (item: Item) => listReservations(item).some(({ at }) => at < now() - STALE_RESERVATION_MS);

/** State of the tokens-per-minute limit, including the estimate for an answer. */
export interface TokenLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds. */
  readonly resetAt: number;
}

function findTokenLimit({ applied, ledgers }: BudgetCheck, { tokens }: Estimate): TokenLimit | null {
  const one = applied.find(({ budget: { window } }) => window === "minute");
  if (!one) return null;
  const { limit } = one.budget;
  const remaining = Math.max(0, limit - takenOf(ledgers.get(one.ledger), one) - tokens);
  return { limit, remaining, resetAt: Math.ceil(Number(one.window.resetsAt) / 1_000) };
}

/** Admitted answer. */
export interface Admission {
  /** Counters to charge. They are stored with the answer. */
  readonly charges: Charges;
  /** State of the tokens-per-minute limit; null without such a limit. */
  readonly tokenLimit: TokenLimit | null;
  /**
   * Reserves the estimate in the ledgers of those budgets that are nearly used up.
   * @throws ServiceError `quota_exceeded` or `rate_limited`; nothing is reserved then
   */
  reserve(runId: string): Promise<void>;
}

/**
 * Admits an answer if its budgets and limits are not used up. Nothing is stored yet.
 * @param isPending returns true if the run of an old reservation exists, so that the run will settle it
 * @throws ServiceError `quota_exceeded` for a budget, `rate_limited` for a limit of tokens per minute or answers in
 * progress
 */
export function admitAnswer(
  scope: TenantScope,
  { applied, ledgers }: BudgetCheck,
  estimate: Estimate,
  isPending: (runId: string) => Promise<boolean>,
): Admission {
  for (const one of applied) {
    const item = ledgers.get(one.ledger);
    // Reserving finds out whether an old reservation can be returned.
    const canFree = item && hasStale(item) && toLimit(one.budget) > 0;
    if (isExhausted(item, one) && !canFree) throw quotaExceeded(one, takenOf(item, one));
  }
  const isNearEnd = (one: BudgetInWindow) =>
    one.budget.unit === "concurrent" ||
    toLimit(one.budget) - takenOf(ledgers.get(one.ledger), one) <
      RESERVING_ANSWERS * toAmount(estimate, one.budget.unit);
  const byLedger = Map.groupBy(applied, ({ ledger }) => ledger);
  const counters = Object.fromEntries(
    Array.from(byLedger, ([ledger, ones]) => [
      ledger,
      Object.fromEntries(ones.map(({ counter, budget }) => [counter, budget.unit])),
    ]),
  );
  const reserved = [...byLedger].flatMap(([ledger, ones]) => (ones.some(isNearEnd) ? [ledger] : []));
  const charges: Charges = { counters, reserved, estimate };
  const reserveIn = async (ledger: string, runId: string, isRetry = false): Promise<ServiceError | null> => {
    const ones = byLedger.get(ledger) ?? [];
    const limits = Object.fromEntries(ones.map(({ counter, budget }) => [counter, toLimit(budget)]));
    const refusing = await reserve(scope, ledger, { runId, charges, limits });
    if (!refusing) return null;
    if (!isRetry && hasStale(refusing)) {
      await returnStale(scope, ledger, refusing, isPending);
      return reserveIn(ledger, runId, true);
    }
    const full = ones.find((one) => isExhausted(refusing, one)) ?? (ones[0] as BudgetInWindow);
    return quotaExceeded(full, takenOf(refusing, full));
  };
  return {
    charges,
    tokenLimit: findTokenLimit({ applied, ledgers }, estimate),
    async reserve(runId) {
      const refusals = await Promise.all(reserved.map((ledger) => reserveIn(ledger, runId)));
      const refusal = refusals.find((each) => each !== null);
      if (!refusal) return;
      if (reserved.length > 1) await returnReservations(scope, runId, charges);
      throw refusal;
    },
  };
}

/** Maximum number of old reservations that one request checks. */
const MAX_CHECKED = 10;

/** Removes old reservations that belong to no run, because their functions crashed before they stored one. */
async function returnStale(
  scope: TenantScope,
  ledger: string,
  item: Item,
  isPending: (runId: string) => Promise<boolean>,
): Promise<void> {
  const stale = listReservations(item).filter(({ at }) => at < now() - STALE_RESERVATION_MS);
  await Promise.all(
    stale.slice(0, MAX_CHECKED).map(async (reservation) => {
      if (!(await isPending(reservation.runId))) await settleReservation(scope, ledger, reservation);
    }),
  );
}
