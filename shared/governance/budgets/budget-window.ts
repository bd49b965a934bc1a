import type { BudgetWindow } from "../../api/governance/budgets.ts";

export interface CurrentWindow {
  /** First day of the window, such as `20260131`, or `total`. */
  readonly id: string;
  /** Epoch milliseconds; null for the window `total`. */
  readonly startsAt: number | null;
  readonly resetsAt: number | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Range around UTC midnight in which local midnight is searched: one hour more than the largest offset of a time zone,
 * 14 hours.
 */
const MAX_OFFSET_MINUTES = 15 * 60;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local date at a time, as midnight of the same date in UTC. */
function toLocalDate(at: number, zone: string): number {
  if (zone === "UTC") return at - (((at % DAY_MS) + DAY_MS) % DAY_MS);
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(Number(parts.year), Number(parts.month) - 1, Number(parts.day));
}

/** Returns when a local date begins: at midnight, or later if a change of the clocks skips midnight. */
function startOfDate(date: number, zone: string): number {
  if (zone === "UTC") return date;
  let [before, from] = [-MAX_OFFSET_MINUTES, MAX_OFFSET_MINUTES];
  while (from - before > 1) {
    const middle = (before + from) >> 1;
    if (toLocalDate(date + middle * MINUTE_MS, zone) >= date) from = middle;
    else before = middle;
  }
  return date + from * MINUTE_MS;
}

/** Returns the first date of the window that contains a date, and that of the next window. */
function toDates(window: Exclude<BudgetWindow, "total">, date: number): [first: number, next: number] {
  if (window === "day") return [date, date + DAY_MS];
  const day = new Date(date);
  if (window === "month") {
    const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
    return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
  }
  const monday = date - ((day.getUTCDay() + 6) % 7) * DAY_MS;
  return [monday, monday + 7 * DAY_MS];
}

const lastWindows = new Map<string, CurrentWindow>();

/** Returns the window of a budget at a time. Days start at midnight in the time zone, weeks on Monday. */
export function findWindow(window: BudgetWindow, zone: string, at: number): CurrentWindow {
  if (window === "total") return { id: "total", startsAt: null, resetsAt: null };
  const last = lastWindows.get(`${window} ${zone}`);
  if (last && at >= Number(last.startsAt) && at < Number(last.resetsAt)) return last;
  const [first, next] = toDates(window, toLocalDate(at, zone));
  const id = new Date(first).toISOString().slice(0, 10).replaceAll("-", "");
  const current = { id, startsAt: startOfDate(first, zone), resetsAt: startOfDate(next, zone) };
  lastWindows.set(`${window} ${zone}`, current);
  return current;
}
