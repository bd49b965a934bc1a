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

/** Attribute names of a counter. `t_…` counts consumption and reservations; `u_…` counts only consumption. */
export const takenName = (counter: string) => `t_${counter}`;
export const usedName = (counter: string) => `u_${counter}`;

/** Prefix of attributes that count tokens of models without a price. The name of the model follows in hexadecimal. */
export const unpricedPrefix = (counter: string) => `x_${counter}_`;

const RESERVATION_PREFIX = "r_";
const reservationName = (runId: string) => RESERVATION_PREFIX + runId.replace(/\W|_/g, "");

/** Amounts that a run or completion has reserved in a ledger, by counter. */
interface Reservation {
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

/** Returns the estimated amounts to reserve in a ledger, by counter. */
export const reservedAmounts = ({ counters, estimate }: Charges, ledger: string): Record<string, number> =>
  Object.fromEntries(Object.entries(counters[ledger] ?? {}).map(([name, unit]) => [name, toAmount(estimate, unit)]));

const mapNames = <Value>(
  values: Readonly<Record<string, Value>>,
  toName: (name: string) => string,
): Record<string, Value> => Object.fromEntries(Object.entries(values).map(([name, value]) => [toName(name), value]));

/** Returns a ledger; undefined before the first charge or reservation. */
export const findLedger = (scope: TenantScope, ledger: string): Promise<Item | undefined> =>
  tenantTable(scope).get(keys.budgetLedger(scope.tenantId, ledger), { consistent: true });

/** Prefix of the ledgers for one minute each. The number of minutes since the epoch follows. */
export const MINUTE_LEDGER_PREFIX = "minute#";

/** Retention of the ledger of a minute. It must exceed the maximum duration of a function. */
const MINUTE_TTL_SECONDS = 3_600;

const toAttributes = (ledger: string) => ({
  ...{ discriminator: "budget-ledger", ledger },
  ...(ledger.startsWith(MINUTE_LEDGER_PREFIX) && { ttl: expiresAfter(MINUTE_TTL_SECONDS) }),
});

/**
 * Reserves the estimate of a run in a ledger, if none of the counters has reached its limit. A repeated call changes
 * nothing.
 * @param limits limits by counter
 * @returns null, or the ledger if a limit is reached
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

/** Amounts to add, by counter. */
export type Consumption = Readonly<Record<string, number>>;

/**
 * Replaces the reservation of a run by its consumption. Without a reservation, nothing changes, so a repeated call has
 * no effect.
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

/** Gives back the reservations of a run whose model was not called or whose function crashed. */
export async function returnReservations(scope: TenantScope, runId: string, charges: Charges | undefined) {
  if (!charges) return;
  await Promise.all(
    charges.reserved.map((ledger) =>
      settleReservation(scope, ledger, { runId, amounts: reservedAmounts(charges, ledger) }),
    ),
  );
}

/**
 * Number of windows per budget whose counters a ledger retains, because answers of the previous window may still be in
 * progress.
 */
const KEPT_WINDOWS = 2;

/** Returns the attribute names of counters for past windows, which are removed so that a ledger stays small. */
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

/** Removes the counters for past windows from a ledger. */
export async function pruneLedger(scope: TenantScope, ledger: Item): Promise<void> {
  const remove = findOldNames(ledger);
  if (remove.length === 0) return;
  await tenantTable(scope).write({ update: keys.budgetLedger(scope.tenantId, String(ledger.ledger)), remove });
}

/**
 * Returns the write that adds consumption without a reservation. It must be part of a transaction that is executed only
 * once.
 */
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
