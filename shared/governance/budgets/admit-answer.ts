import type { Budget } from "../../api/governance/budgets.ts";
import type { Item } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { type Charges, type Estimate, toAmount } from "../../lib/charges.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import { listGroupsOfUser } from "../../tenancy/group-store.ts";
import type { Tenant } from "../../tenancy/tenant-store.ts";
import { getBudgets } from "./budget-store.ts";
import { type CurrentWindow, findWindow } from "./budget-window.ts";
import {
  findLedger,
  listReservations,
  reserve,
  returnReservations,
  settleReservation,
  TENANT_LEDGER,
  takenName,
} from "./ledger-store.ts";

/** User, key and persona of an answer; null for what it does not have. */
export interface Spender {
  readonly tenant: Tenant;
  /** Person who asks; null for services and visitors. */
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly personaId: string | null | Promise<string | null>;
}

/** Budget that applies to an answer, with its counter. */
export interface AppliedBudget {
  readonly budget: Budget;
  readonly ledger: string;
  readonly counter: string;
  readonly window: CurrentWindow;
}

/**
 * Remaining answers below which a budget is reserved before each answer. Above it, a budget is only read, and the change feed adds
 * the consumption of many answers in one write, so that a counter does not bound the throughput of a tenant.
 */
const RESERVING_ANSWERS = 100;

/** Pause after the refusal of a budget that never resets: its limit may have been raised. */
const DAY_MS = 24 * 3_600_000;

/** Age from which on a reservation may belong to a dead function: functions run for at most 15 minutes. */
const STALE_RESERVATION_MS = 16 * 60_000;

/** Returns the limit of a budget in the unit of its counter. */
export const toLimit = ({ unit, limit }: Budget): number => (unit === "usd" ? Math.round(limit * 1_000_000) : limit);

/** Returns the budget of a subject with the counter of its current window. */
export function toApplied(budget: Budget, subject: string | null): AppliedBudget {
  const window = findWindow(budget.window, budget.time_zone, now());
  const isOwn = budget.scope.type !== "tenant" && budget.scope.id === null;
  const ledger = isOwn ? `${budget.scope.type}#${subject}` : TENANT_LEDGER;
  return { budget, ledger, counter: `${sha256(budget.id).slice(0, 10)}_${window.id}`, window };
}

/** Returns those of a tenant's budgets that apply to an answer. */
function selectBudgets(
  budgets: readonly Budget[],
  { tenant, userId, keyId }: Spender,
  groupIds: readonly string[],
  personaId: string | null,
): AppliedBudget[] {
  const subjects = {
    tenant: [tenant.tenant_id],
    group: groupIds,
    user: userId === null ? [] : [userId],
    key: keyId === null ? [] : [keyId],
    persona: personaId === null ? [] : [personaId],
  };
  return budgets.flatMap((budget) => {
    const { type, id } = budget.scope;
    const isSubject = (subject: string) => id === null || id === subject;
    return subjects[type].filter(isSubject).map((subject) => toApplied(budget, subject));
  });
}

/** Budgets that apply to an answer, and their ledgers. */
export interface BudgetCheck {
  readonly applied: readonly AppliedBudget[];
  readonly ledgers: ReadonlyMap<string, Item | undefined>;
}

/** Reads the budgets of an answer; null if there are none. Belongs next to other reads, which it does not wait for. */
export async function readBudgets(spender: Spender): Promise<BudgetCheck | null> {
  const { tenant, userId, personaId } = spender;
  const budgets = await getBudgets(tenant);
  if (budgets.length === 0) return null;
  const scope = { tenantId: tenant.tenant_id };
  const needsGroups = userId !== null && budgets.some(({ scope: { type } }) => type === "group");
  const groups = needsGroups ? (await listGroupsOfUser(scope, userId)).map(({ id }) => id) : [];
  const ledgers = new Map<string, Promise<Item | undefined>>();
  const read = (applied: readonly AppliedBudget[]) => {
    for (const { ledger } of applied) {
      if (ledgers.has(ledger)) continue;
      const item = findLedger(scope, ledger);
      // Handled below, unless another read fails first.
      item.catch(() => {});
      ledgers.set(ledger, item);
    }
  };
  // Nearly all ledgers are known before the persona is.
  read(selectBudgets(budgets, spender, groups, null));
  const [applied] = await Promise.all([
    Promise.resolve(personaId).then((id) => {
      const selected = selectBudgets(budgets, spender, groups, id);
      read(selected);
      return selected;
    }),
    ...ledgers.values(),
  ]);
  const items = await Promise.all(Array.from(ledgers, async ([name, item]) => [name, await item] as const));
  return applied.length > 0 ? { applied, ledgers: new Map(items) } : null;
}

function quotaExceeded({ budget, window }: AppliedBudget, taken: number): ServiceError {
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

const takenOf = (item: Item | undefined, { counter }: AppliedBudget) => Number(item?.[takenName(counter)] ?? 0);

const isExhausted = (item: Item | undefined, applied: AppliedBudget) =>
  takenOf(item, applied) >= toLimit(applied.budget);

const hasStale = (item: Item) => listReservations(item).some(({ at }) => at < now() - STALE_RESERVATION_MS);

/** Answer that its budgets admit. */
export interface Admission {
  /** To store with the answer, so that its consumption is charged. */
  readonly charges: Charges;
  /**
   * Reserves the estimate where a budget is near its end.
   * @throws ServiceError `quota_exceeded`; nothing is reserved then
   */
  reserve(runId: string): Promise<void>;
}

/**
 * Decides on an answer before anything of it is stored.
 * @param isPending tells whether the run of an old reservation exists, so that it will be settled
 * @throws ServiceError `quota_exceeded`
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
  const isNearEnd = (one: AppliedBudget) =>
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
    const full = ones.find((one) => isExhausted(refusing, one)) ?? (ones[0] as AppliedBudget);
    return quotaExceeded(full, takenOf(refusing, full));
  };
  return {
    charges,
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

/** Returns old reservations without a run: their functions died before they stored one. */
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
