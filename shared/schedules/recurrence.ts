import { Cron } from "croner";
import type { ScheduleInput } from "../api/schedules/schedules.ts";
import { env } from "../lib/env.ts";
import { invalidField } from "../lib/errors.ts";
import { fromLocalTime, toLocalTime } from "./local-time.ts";

/** Times at which a schedule runs. */
export type Recurrence = Pick<ScheduleInput, "cron" | "time_zone" | "skip_dates" | "starts_at" | "ends_at">;

/** Number of times between which the minimum interval is checked: those of a day, with the shortest one allowed. */
const CHECKED_TIMES = 100;

/** Parses an expression whose times are local ones, which are computed as if they were in UTC. */
const parse = (cron: string) => new Cron(cron, { timezone: "UTC", mode: "5-part" });

/**
 * Returns the first time of a schedule after a time, in epoch milliseconds; null if there is none. A local time that is
 * skipped when clocks go forward is the moment at which they do, and one that exists twice is the first of both.
 */
export function nextTime(
  { cron, time_zone, skip_dates, starts_at, ends_at }: Recurrence,
  afterMs: number,
): number | null {
  const after = starts_at === null ? afterMs : Math.max(afterMs, Date.parse(starts_at) - 1);
  const skipped = new Set(skip_dates);
  const expression = parse(cron);
  let local: Date | null = new Date(toLocalTime(after, time_zone));
  for (;;) {
    local = expression.nextRun(local);
    if (!local) return null;
    const time = fromLocalTime(local.getTime(), time_zone);
    if (ends_at !== null && time > Date.parse(ends_at)) return null;
    if (time > after && !skipped.has(local.toISOString().slice(0, 10))) return time;
  }
}

/** Returns the next times of a schedule, at most `count`. */
export function nextTimes(recurrence: Recurrence, afterMs: number, count: number): number[] {
  const times: number[] = [];
  for (let time = nextTime(recurrence, afterMs); time !== null && times.length < count; ) {
    times.push(time);
    time = nextTime(recurrence, time);
  }
  return times;
}

/**
 * Checks an expression and the interval between its times.
 * @throws ServiceError `validation_failed` if it is invalid, has no time, or has times that are closer than
 * `SCHEDULE_MIN_MINUTES`
 */
export function checkCron(cron: string): void {
  const minMinutes = Number(env("SCHEDULE_MIN_MINUTES").SCHEDULE_MIN_MINUTES);
  let times: Date[];
  try {
    times = parse(cron).nextRuns(CHECKED_TIMES, new Date(0));
  } catch {
    throw invalidField("cron", "invalid_format", "is not a cron expression");
  }
  if (times.length === 0) throw invalidField("cron", "invalid_value", "never occurs");
  const isClose = (time: Date, index: number) => {
    const next = times[index + 1];
    return next !== undefined && next.getTime() - time.getTime() < minMinutes * 60_000;
  };
  if (times.some(isClose)) {
    throw invalidField("cron", "too_small", `must have at least ${minMinutes} minutes between two times`);
  }
}
