import type { Usage } from "../../api/conversations/messages.ts";
import type { Write } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { Charges, ChargeUnit } from "../../lib/charges.ts";
import {
  type Consumption,
  consumptionWrite,
  reservedAmounts,
  settleReservation,
  unpricedPrefix,
} from "./ledger-store.ts";

/** Answer whose consumption is charged to budgets. */
export interface ChargedAnswer {
  /** Id of the message or completion. */
  readonly id: string;
  readonly charges?: Charges | undefined;
  /** Number of requests; `runs` is how many of them are chat answers. */
  readonly requests: number;
  readonly runs: number;
  readonly usage: Usage;
}

function amountOf({ usage, requests, runs }: ChargedAnswer, unit: ChargeUnit): number {
  if (unit === "usd") return Math.round((usage.cost_usd ?? 0) * 1_000_000);
  if (unit === "tokens") return usage.total_tokens;
  // An answer that ended is not in progress.
  if (unit === "concurrent") return 0;
  return unit === "runs" ? runs : requests;
}

const consumptionOf = (answer: ChargedAnswer, ledger: string): Consumption =>
  Object.fromEntries(
    Object.entries(answer.charges?.counters[ledger] ?? {}).map(([name, unit]) => [name, amountOf(answer, unit)]),
  );

/** Returns the tokens of a model without a price, which budgets in dollars cannot count. */
function unpricedOf({ usage, charges }: ChargedAnswer, ledger: string): Consumption {
  if (usage.cost_usd !== null || usage.total_tokens === 0) return {};
  const dollars = Object.entries(charges?.counters[ledger] ?? {}).filter(([, unit]) => unit === "usd");
  const model = Buffer.from(usage.model.slice(0, 100)).toString("hex");
  return Object.fromEntries(dollars.map(([counter]) => [unpricedPrefix(counter) + model, usage.total_tokens]));
}

function sum(amounts: readonly Consumption[]): Consumption {
  const sums: Record<string, number> = {};
  for (const [name, amount] of amounts.flatMap((each) => Object.entries(each))) sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}

/** Returns the ledgers of an answer in which nothing was reserved. */
const unreservedLedgers = ({ charges }: ChargedAnswer) =>
  Object.keys(charges?.counters ?? {}).filter((ledger) => !charges?.reserved.includes(ledger));

/** Returns the writes that charge answers to the ledgers in which they reserved nothing; one write for each ledger. */
export function consumptionWrites(scope: TenantScope, answers: readonly ChargedAnswer[]): Write[] {
  const ledgers = new Set(answers.flatMap(unreservedLedgers));
  return Array.from(ledgers, (ledger) => {
    const charged = answers.filter((answer) => unreservedLedgers(answer).includes(ledger));
    const consumed = sum(charged.map((answer) => consumptionOf(answer, ledger)));
    return consumptionWrite(scope, ledger, consumed, sum(charged.map((answer) => unpricedOf(answer, ledger))));
  });
}

/** Replaces the reservations of an answer by its consumption. A repeated call changes nothing. */
export async function settleAnswer(scope: TenantScope, answer: ChargedAnswer): Promise<void> {
  const { id, charges } = answer;
  if (!charges) return;
  await Promise.all(
    charges.reserved.map((ledger) =>
      settleReservation(
        scope,
        ledger,
        { runId: id, amounts: reservedAmounts(charges, ledger) },
        consumptionOf(answer, ledger),
        unpricedOf(answer, ledger),
      ),
    ),
  );
}
