const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  formats.set(timeZone, format);
  return format;
}

/** Returns the local time of a time zone as if it were in UTC, in epoch milliseconds. */
export function toLocalTime(epochMs: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (epochMs % 1_000);
}

/**
 * Returns the time at which it is a local time. Of two times, it is the first one. A local time that is skipped when clocks go
 * forward becomes the moment at which they do.
 */
export function fromLocalTime(localMs: number, timeZone: string): number {
  const offsetAt = (epochMs: number) => toLocalTime(epochMs, timeZone) - epochMs;
  const [earlier, later] = [offsetAt(localMs - DAY_MS), offsetAt(localMs + DAY_MS)];
  if (earlier === later) return localMs - earlier;
  const matches = [localMs - earlier, localMs - later].filter((time) => time + offsetAt(time) === localMs);
  if (matches.length > 0) return Math.min(...matches);
  // Clocks go forward between both.
  let [before, after] = [localMs - later, localMs - earlier];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === earlier) before = middle;
    else after = middle;
  }
  return after;
}
