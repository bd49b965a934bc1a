/** Time zones with different rules for daylight saving time, and without it. */
export const zones = [
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
  "America/Santiago",
  "America/St_Johns",
  "Africa/Cairo",
  "Asia/Jerusalem",
  "Asia/Kolkata",
  "Australia/Sydney",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "UTC",
] as const;

/** Schedule as sets of the fields of its local times; null stands for each day. */
export interface Pattern {
  readonly timeZone: string;
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[] | null;
  readonly daysOfWeek: readonly number[] | null;
  readonly skipDates: string[];
}

const [YEAR_START, YEAR_END] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
/** Interval at which clocks are looked at. All offsets of the time zones, and all times of schedules, are multiples of it. */
const QUARTER_MS = 15 * 60_000;

const pick = <Value>(random: () => number, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

/** Returns a schedule whose times are mostly in the night, when clocks change. */
export function randomPattern(random: () => number): Pattern {
  const kind = random();
  const hour = Math.floor(random() * 5);
  return {
    timeZone: pick(random, zones),
    minutes: random() < 0.3 ? [0, 30] : [pick(random, [0, 15, 30, 45])],
    hours: random() < 0.2 ? [hour, hour + 1] : [hour],
    daysOfMonth: kind < 0.3 ? [1 + Math.floor(random() * 31)] : null,
    daysOfWeek: kind >= 0.3 && kind < 0.9 ? [Math.floor(random() * 7)] : null,
    skipDates: random() < 0.2 ? ["2026-03-29", "2026-10-25", "2026-12-25"] : [],
  };
}

/** Returns the cron expression of a schedule. */
export const toCron = ({ minutes, hours, daysOfMonth, daysOfWeek }: Pattern): string =>
  [minutes.join(), hours.join(), daysOfMonth?.join() ?? "*", "*", daysOfWeek?.join() ?? "*"].join(" ");

/** First moments at which a clock shows a time of day, with their dates, by time. */
type Clock = ReadonlyMap<string, readonly (readonly [date: string, epochMs: number])[]>;

const clocks = new Map<string, Clock>();

/** Reads the clock of a time zone at each quarter of an hour. A time that the clock jumps over counts as the one after the jump. */
function clockOf(timeZone: string): Clock {
  const known = clocks.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const clock = new Map<string, [string, number][]>();
  const add = (local: string, epochMs: number) => {
    const [date = "", time = ""] = local.split(/[ T]/);
    const entries = clock.get(time) ?? [];
    entries.push([date, epochMs]);
    clock.set(time, entries);
  };
  let next = Date.parse(`${format.format(YEAR_START)}Z`);
  for (let epochMs = YEAR_START; epochMs < YEAR_END; epochMs += QUARTER_MS) {
    const local = format.format(epochMs);
    const shown = Date.parse(`${local}Z`);
    for (; next < shown; next += QUARTER_MS) add(new Date(next).toISOString().slice(0, 16), epochMs);
    // Otherwise, the clock went back and shows this time again.
    if (shown !== next) continue;
    add(local, epochMs);
    next += QUARTER_MS;
  }
  clocks.set(timeZone, clock);
  return clock;
}

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** Returns the times of a schedule in the year, found by looking at the clock of its time zone all year. */
export function timesOf({ timeZone, minutes, hours, daysOfMonth, daysOfWeek, skipDates }: Pattern): number[] {
  const clock = clockOf(timeZone);
  const isRun = (date: string) =>
    (daysOfMonth?.includes(Number(date.slice(8, 10))) ?? true) &&
    (daysOfWeek?.includes(new Date(date).getUTCDay()) ?? true) &&
    !skipDates.includes(date);
  const shown = hours.flatMap((hour) => minutes.map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`));
  const times = shown.flatMap((time) => clock.get(time) ?? []).flatMap(([date, at]) => (isRun(date) ? [at] : []));
  return [...new Set(times)].sort((a, b) => a - b);
}
