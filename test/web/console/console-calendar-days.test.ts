import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { calendarDaysSince, formatAgo } from "../../../functions/web/console/lib/format.ts";

const { TZ } = process.env;

beforeEach(() => {
  process.env.TZ = "Asia/Tokyo";
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

it.each([
  ["2026-03-02T08:00+09:00", "2026-03-02T00:01+09:00", 0, "8 hours ago"],
  ["2026-03-02T08:00+09:00", "2026-03-01T23:59+09:00", 1, "8 hours ago"],
  ["2026-03-02T23:00+09:00", "2026-03-01T01:00+09:00", 1, "yesterday"],
  ["2026-03-02T02:00+09:00", "2026-02-28T20:00+09:00", 2, "2 days ago"],
  ["2026-03-02T02:00+09:00", "2026-02-24T20:00+09:00", 6, "6 days ago"],
])("console, at %s in Tokyo, shows %s as %i midnights ago and as %j", (now, then, days, ago) => {
  vi.setSystemTime(new Date(now));
  expect(calendarDaysSince(then)).toBe(days);
  expect(formatAgo(then)).toBe(ago);
});

it("console counts a day of 23 hours as a day", () => {
  process.env.TZ = "Europe/Berlin";
  vi.setSystemTime(new Date("2026-03-30T00:30+02:00"));
  expect(calendarDaysSince("2026-03-28T23:30+01:00")).toBe(2);
});
