import { type Price, type PriceName, prices } from "./prices.ts";

/** Quantities by the price that applies to them. */
export type Quantities = Partial<Record<PriceName, number>>;

/** Cost in US dollars by price, and their sum. */
export interface Cost {
  readonly total: number;
  readonly parts: Readonly<Partial<Record<PriceName, number>>>;
}

/**
 * Returns the cost of quantities.
 * @param options.isMonthly true if the quantities are those of a month, so that the monthly free units are subtracted
 */
export function computeCost(quantities: Quantities, { isMonthly = false } = {}): Cost {
  const parts = Object.fromEntries(
    Object.entries(quantities).map(([name, quantity]) => {
      const { usd, per, free = 0 }: Price = prices[name as PriceName];
      return [name, (Math.max(0, quantity - (isMonthly ? free : 0)) * usd) / per];
    }),
  );
  return { parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}

/** Divides the quantities of a recording by the number of its operations. */
export function perOperation(quantities: Quantities, operations: number): Quantities {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, quantity / operations]));
}
