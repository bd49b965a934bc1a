/**
 * Unit in which a budget is measured. Dollars are counted in millionths, so that sums are exact. `concurrent` counts answers in
 * progress.
 */
export type ChargeUnit = "usd" | "tokens" | "requests" | "runs" | "concurrent";

/** Tokens and cost that an answer is expected to consume, before its real usage is known. */
export interface Estimate {
  readonly tokens: number;
  readonly micro_usd: number;
}

/**
 * Budget counters that an answer is charged to. They are chosen when the answer starts and stored with it, so that its end
 * charges the same counters.
 */
export interface Charges {
  /**
   * Units by ledger and counter: `counters[ledger][counter]`. A ledger holds the counters of the tenant or of one subject,
   * such as a user.
   */
  readonly counters: Readonly<Record<string, Readonly<Record<string, ChargeUnit>>>>;
  /** Ledgers in which the estimate was reserved when the answer started. */
  readonly reserved: readonly string[];
  readonly estimate: Estimate;
}

/**
 * Converts an estimate to the unit of a counter: millionths of a dollar for `usd`, tokens for `tokens`, and 1 for units that
 * count answers.
 */
export function toAmount({ tokens, micro_usd }: Estimate, unit: ChargeUnit): number {
  if (unit === "usd") return micro_usd;
  return unit === "tokens" ? tokens : 1;
}
