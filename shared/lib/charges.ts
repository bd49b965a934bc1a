/**
 * Unit in which a budget is measured. Dollars are counted in millionths, so that sums are exact. `concurrent` counts answers in
 * progress.
 */
export type ChargeUnit = "usd" | "tokens" | "requests" | "runs" | "concurrent";

/** Expected consumption of an answer. */
export interface Estimate {
  readonly tokens: number;
  readonly micro_usd: number;
}

/** Counters of budgets that an answer is charged to. They are chosen when it starts and stored with it. */
export interface Charges {
  /** Units of the counters, by ledger and counter: `counters[ledger][counter]`. */
  readonly counters: Readonly<Record<string, Readonly<Record<string, ChargeUnit>>>>;
  /** Ledgers in which the estimate is reserved. */
  readonly reserved: readonly string[];
  readonly estimate: Estimate;
}

/** Returns what an estimate is in a unit. */
export function toAmount({ tokens, micro_usd }: Estimate, unit: ChargeUnit): number {
  if (unit === "usd") return micro_usd;
  return unit === "tokens" ? tokens : 1;
}
