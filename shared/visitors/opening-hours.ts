import type { OpeningHours } from "../api/embed/handover-settings.ts";

/** Returns whether a website's persons answer at a time. @param hours null for always */
export function isOpenAt(hours: OpeningHours | null, epochMs: number): boolean {
  if (!hours) return true;
  const { time_zone: timeZone, periods, holidays } = hours;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    ...{ year: "numeric", month: "2-digit", day: "2-digit", weekday: "short", hour: "2-digit", minute: "2-digit" },
  });
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  if (holidays.includes(`${parts.year}-${parts.month}-${parts.day}`)) return false;
  const time = `${parts.hour}:${parts.minute}`;
  const today = String(parts.weekday).toLowerCase();
  return periods.some(({ days, from, to }) => days.some((day) => day === today) && from <= time && time < to);
}
