import { afterEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "#shared/lib/errors.ts";
import { checkCron, nextTime, nextTimes, type Recurrence } from "#shared/schedules/recurrence.ts";
import { sized } from "#test/support/run-size.ts";
import { type Pattern, randomPattern, timesOf, toCron, zones } from "#test/support/schedules/expected-times.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

const daily = { cron: "0 9 * * *", time_zone: "UTC", skip_dates: [], starts_at: null, ends_at: null };

const isoTimes = (recurrence: Partial<Recurrence>, after: string, count: number) =>
  nextTimes({ ...daily, ...recurrence }, Date.parse(after), count).map((time) => new Date(time).toISOString());

const [yearStart, yearEnd] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];

/** Returns all times of a schedule in the year. */
function timesOfYear(recurrence: Recurrence): number[] {
  const times: number[] = [];
  for (let time = nextTime(recurrence, yearStart - 1); time !== null && time < yearEnd; ) {
    times.push(time);
    time = nextTime(recurrence, time);
  }
  return times;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("times of a schedule", () => {
  it.each([
    [
      "the moment at which clocks go forward",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T12:00:00Z",
      "2026-03-29T01:00:00.000Z",
    ],
    [
      "midnight that does not exist",
      "0 0 * * *",
      "America/Santiago",
      "2026-09-05T12:00:00Z",
      "2026-09-06T04:00:00.000Z",
    ],
    [
      "half an hour that does not exist",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T12:00:00Z",
      "2026-10-03T15:30:00.000Z",
    ],
    ["the first of two equal times", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"],
    ["a leap day", "0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ])("include %s", (_, cron, time_zone, after, expected) => {
    expect(isoTimes({ cron, time_zone }, after, 1)).toEqual([expected]);
  });

  it("have several times that do not exist as one", () => {
    const times = isoTimes({ cron: "*/15 2 * * *", time_zone: "Europe/Berlin" }, "2026-03-28T12:00:00Z", 2);
    expect(times).toEqual(["2026-03-29T01:00:00.000Z", "2026-03-30T00:00:00.000Z"]);
  });

  it("leave out skipped dates of the time zone, and times before the start and after the end", () => {
    const bounds = { starts_at: "2026-05-02T23:00:00.000Z", ends_at: "2026-05-05T23:00:00.000Z" };
    const recurrence = { cron: "0 8 * * *", time_zone: "Asia/Tokyo", skip_dates: ["2026-05-04"], ...bounds };
    expect(isoTimes(recurrence, "2026-01-01T00:00:00Z", 5)).toEqual([
      "2026-05-02T23:00:00.000Z",
      "2026-05-04T23:00:00.000Z",
      "2026-05-05T23:00:00.000Z",
    ]);
  });

  it(`are those that the clocks show in a year in ${zones.length} time zones, once each`, () => {
    const random = seededRandom(7);
    const patterns = Array.from({ length: sized({ usual: 60, full: 5_000 }) }, () => randomPattern(random));
    const differing = patterns.filter((pattern: Pattern) => {
      const recurrence = {
        ...daily,
        cron: toCron(pattern),
        time_zone: pattern.timeZone,
        skip_dates: pattern.skipDates,
      };
      return JSON.stringify(timesOfYear(recurrence)) !== JSON.stringify(timesOf(pattern));
    });
    expect(differing).toEqual([]);
  });
});

describe("check of a cron expression", () => {
  const errorOf = (cron: string) => {
    vi.stubEnv("SCHEDULE_MIN_MINUTES", "15");
    try {
      checkCron(cron);
      return null;
    } catch (error) {
      return error instanceof ServiceError ? error.errors?.[0]?.code : error;
    }
  };

  it.each([
    ["*/15 * * * *", null],
    ["0 9 * * MON-FRI", null],
    ["*/14 * * * *", "too_small"],
    ["0,50 0,23 * * *", "too_small"],
    ["0 0 30 2 *", "invalid_value"],
    ["0 25 * * *", "invalid_format"],
    ["a b c d e", "invalid_format"],
  ])("finds in %s: %s", (cron, code) => {
    expect(errorOf(cron)).toBe(code);
  });
});
