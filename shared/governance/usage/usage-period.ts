import { timestamp } from "../../lib/clock.ts";
import { invalidField } from "../../lib/errors.ts";

const DAY_MS = 24 * 3_600_000;

/** Returns the current UTC day as `YYYY-MM-DD`. */
export const today = (): string => timestamp().slice(0, 10);

/** Returns the day that is a number of days before another one. */
export const daysBefore = (day: string, days: number): string =>
  timestamp(Date.parse(day) - days * DAY_MS).slice(0, 10);

/** Returns the days from one to another, both inclusive. */
export function listDays(from: string, to: string): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, n) => daysBefore(from, -n));
}

/**
 * Returns the first and last day of a usage report; by default the 30 days that end with `to`, or with today.
 * @throws ServiceError `validation_failed` if the first day is after the last one
 */
export function toUsagePeriod(query: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  const { to = today(), from = daysBefore(to, 29) } = query;
  if (from <= to) return { from, to };
  throw invalidField("from", "too_large", "must not be after `to`", "query");
}
