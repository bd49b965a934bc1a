import { itemAccess } from "../../dynamodb/access.ts";
import { keys } from "../../dynamodb/keys.ts";
import {
  allOf,
  anyOf,
  ConditionFailed,
  hasAttribute,
  type Item,
  ignoreConditionFailed,
  lacksAttribute,
  lessThan,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { type Charges, toAmount } from "../../lib/charges.ts";
import { expiresAfter, now } from "../../lib/clock.ts";

/** Ledger: the counters of all budgets that name one subject, or of those of the tenant, in one item. */
export const budgetLedgerAccess = itemAccess("budgetLedger", "get", "update");

/** Ledger of the budgets of the tenant as a whole, and of those for one named group, user, key or persona. */
export const TENANT_LEDGER = "tenant";

/** Names of the attributes of a counter: the first counts what is used or reserved, the second what is used. */
export const takenName = (counter: string) => `t_${counter}`;
export const usedName = (counter: string) => `u_${counter}`;

/** Prefix of attributes with the tokens of models without a price; the counter and the model in hexadecimal follow. */
export const unpricedPrefix = (counter: string) => `x_${counter}_`;

const RESERVATION_PREFIX = "r_";
const reservationName = (runId: string) => RESERVATION_PREFIX + runId.replace(/\W|_/g, "");

/** Reservation of a run in a ledger. */
export interface Reservation {
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly amounts: Readonly<Record<string, number>>;
}

const formatReservation = ({ runId, at, amounts }: Reservation) =>
  [runId, at.toString(36), ...Object.entries(amounts).map(([counter, amount]) => `${counter}=${amount}`)].join(" ");

function parseReservation(text: string): Reservation {
  const [runId = "", at = "", ...amounts] = text.split(" ");
  const entries = amounts.map((amount) => amount.split("=") as [string, string]);
  return { runId, at: Number.parseInt(at, 36), amounts: Object.fromEntries(entries.map(([name, n]) => [name, +n])) };
}

export const listReservations = (ledger: Item): Reservation[] =>
  Object.entries(ledger).flatMap(([name, value]) =>
    name.startsWith(RESERVATION_PREFIX) ? [parseReservation(String(value))] : [],
  );

/** Returns what a charge reserves by counter. */
export const reservedAmounts = ({ counters, estimate }: Charges, ledger: string): Record<string, number> =>
  Object.fromEntries(Object.entries(counters[ledger] ?? {}).map(([name, unit]) => [name, toAmount(estimate, unit)]));

const mapNames = <Value>(
  values: Readonly<Record<string, Value>>,
  toName: (name: string) => string,
): Record<string, Value> => Object.fromEntries(Object.entries(values).map(([name, value]) => [toName(name), value]));

/** Returns a ledger, or undefined before its first charge. */
export const findLedger = (scope: TenantScope, ledger: string): Promise<Item | undefined> =>
  tenantTable(scope).get(keys.budgetLedger(scope.tenantId, ledger), { consistent: true });

/** Prefix of ledgers for one minute, which follows in minutes since the epoch. */
export const MINUTE_LEDGER_PREFIX = "minute#";

/** Retention of the ledger of a minute: longer than a function runs. */
const MINUTE_TTL_SECONDS = 3_600;

const toAttributes = (ledger: string) => ({
  ...{ discriminator: "budget-ledger", ledger },
  ...(ledger.startsWith(MINUTE_LEDGER_PREFIX) && { ttl: expiresAfter(MINUTE_TTL_SECONDS) }),
});

/**
 * Reserves the estimate of a run in a ledger, if none of its counters has reached its limit. Repeating it changes nothing.
 * @param limits limits by counter
 * @returns null, or the ledger that refuses
 */
export async function reserve(
  scope: TenantScope,
  ledger: string,
  { runId, charges, limits }: { runId: string; charges: Charges; limits: Readonly<Record<string, number>> },
): Promise<Item | null> {
  const name = reservationName(runId);
  const amounts = reservedAmounts(charges, ledger);
  const room = Object.keys(amounts).map((counter) =>
    anyOf([lacksAttribute(takenName(counter)), lessThan({ [takenName(counter)]: limits[counter] as number })]),
  );
  try {
    await tenantTable(scope).write({
      update: keys.budgetLedger(scope.tenantId, ledger),
      set: { [name]: formatReservation({ runId, at: now(), amounts }) },
      setIfAbsent: toAttributes(ledger),
      add: mapNames(amounts, takenName),
      condition: allOf([lacksAttribute(name), ...room]),
    });
    return null;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Only the response to the reservation was lost.
    if (error.item?.[name] !== undefined) return null;
    return error.item ?? { ...keys.budgetLedger(scope.tenantId, ledger) };
  }
}

/** Consumption to add, by counter. */
export type Consumption = Readonly<Record<string, number>>;

/**
 * Replaces the reservation of a run by what the run consumed. The reservation is the mark of a run that is not settled, so that
 * repeating it changes nothing.
 */
export async function settleReservation(
  scope: TenantScope,
  ledger: string,
  { runId, amounts }: Pick<Reservation, "runId" | "amounts">,
  consumed: Consumption = {},
  unpriced: Consumption = {},
): Promise<void> {
  const name = reservationName(runId);
  const taken = Object.fromEntries(
    Object.entries(amounts).map(([counter, amount]) => [takenName(counter), (consumed[counter] ?? 0) - amount]),
  );
  await tenantTable(scope)
    .write({
      update: keys.budgetLedger(scope.tenantId, ledger),
      add: { ...taken, ...mapNames(consumed, usedName), ...unpriced },
      remove: [name],
      condition: hasAttribute(name),
    })
    .catch(ignoreConditionFailed);
}

/** Returns the reservations of a run that no model was called for, or whose function died. */
export async function returnReservations(scope: TenantScope, runId: string, charges: Charges | undefined) {
  if (!charges) return;
  await Promise.all(
    charges.reserved.map((ledger) =>
      settleReservation(scope, ledger, { runId, amounts: reservedAmounts(charges, ledger) }),
    ),
  );
}

/** Windows whose counters a ledger keeps for each budget: answers of the window before can still be in progress. */
const KEPT_WINDOWS = 2;

/** Returns the names of the counters of windows that have passed, so that a ledger stays small. */
export function findOldNames(ledger: Item): string[] {
  const dated = Object.keys(ledger).flatMap((name) => {
    const [, budget, day] = /^[tux]_([0-9a-f]{10})_(\d{8})(?:_|$)/.exec(name) ?? [];
    return budget && day ? [{ name, budget, day }] : [];
  });
  return [...Map.groupBy(dated, ({ budget }) => budget).values()].flatMap((counters) => {
    const kept = [...new Set(counters.map(({ day }) => day))].sort().slice(-KEPT_WINDOWS);
    return counters.flatMap(({ name, day }) => (kept.includes(day) ? [] : [name]));
  });
}

/** Removes the counters of windows that have passed. */
export async function pruneLedger(scope: TenantScope, ledger: Item): Promise<void> {
  const remove = findOldNames(ledger);
  if (remove.length === 0) return;
  await tenantTable(scope).write({ update: keys.budgetLedger(scope.tenantId, String(ledger.ledger)), remove });
}

/** Returns the write that adds consumption for which nothing was reserved. It must be in a transaction that happens once. */
export const consumptionWrite = (
  { tenantId }: TenantScope,
  ledger: string,
  consumed: Consumption,
  unpriced: Consumption,
): Write => ({
  update: keys.budgetLedger(tenantId, ledger),
  setIfAbsent: toAttributes(ledger),
  add: { ...mapNames(consumed, takenName), ...mapNames(consumed, usedName), ...unpriced },
});
