import { expect, it } from "vitest";
import type { BudgetWindow } from "#shared/api/governance/budgets.ts";
import { toApplied } from "#shared/governance/budgets/applied-budgets.ts";
import { findWindow } from "#shared/governance/budgets/budget-window.ts";
import { findOldNames } from "#shared/governance/budgets/ledger-store.ts";

const windowOf = (window: BudgetWindow, zone: string, at: string) => {
  const { id, startsAt, resetsAt } = findWindow(window, zone, Date.parse(at));
  const toText = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return [id, toText(startsAt), toText(resetsAt)];
};

it.each([
  ["day", "UTC", "2026-03-10T23:59:59Z", "20260310", "2026-03-10T00:00:00.000Z", "2026-03-11T00:00:00.000Z"],
  ["week", "UTC", "2026-03-08T12:00:00Z", "20260302", "2026-03-02T00:00:00.000Z", "2026-03-09T00:00:00.000Z"],
  ["month", "UTC", "2026-12-31T23:00:00Z", "20261201", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  // The clocks go forward within the window, so that it is an hour shorter, and back in another one.
  ["day", "Europe/Berlin", "2026-03-29T12:00:00Z", "20260329", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
  ["day", "Europe/Berlin", "2026-10-25T12:00:00Z", "20261025", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  [
    "month",
    "Europe/Berlin",
    "2026-10-31T22:59:00Z",
    "20261001",
    "2026-09-30T22:00:00.000Z",
    "2026-10-31T23:00:00.000Z",
  ],
  // Midnight does not exist on this day in Beirut: the day starts at one o'clock.
  ["day", "Asia/Beirut", "2026-03-28T23:30:00Z", "20260329", "2026-03-28T22:00:00.000Z", "2026-03-29T21:00:00.000Z"],
  [
    "week",
    "Pacific/Kiritimati",
    "2026-03-08T10:30:00Z",
    "20260309",
    "2026-03-08T10:00:00.000Z",
    "2026-03-15T10:00:00.000Z",
  ],
  ["day", "Asia/Kathmandu", "2026-03-10T18:20:00Z", "20260311", "2026-03-10T18:15:00.000Z", "2026-03-11T18:15:00.000Z"],
] as const)(
  "window of a %s budget in %s that contains %s has the expected id, start and end",
  (window, zone, at, id, startsAt, resetsAt) => {
    expect(windowOf(window, zone, at)).toEqual([id, startsAt, resetsAt]);
  },
);

it("window of a total budget never resets", () => {
  expect(windowOf("total", "UTC", "2026-03-10T00:00:00Z")).toEqual(["total", null, null]);
});

it("window of a budget of each day of two years adjoins that of the day before, in time zones with changes of the clocks", () => {
  for (const zone of ["Europe/Berlin", "America/New_York", "Asia/Beirut", "America/Havana", "Australia/Lord_Howe"]) {
    let next = findWindow("day", zone, Date.UTC(2026, 0, 1)).resetsAt as number;
    for (let day = 0; day < 730; day++) {
      const window = findWindow("day", zone, next);
      expect([zone, window.startsAt]).toEqual([zone, next]);
      next = window.resetsAt as number;
    }
    expect(new Date(next).getUTCFullYear()).toBe(2028);
  }
});

it("counter name of a budget is valid in a DynamoDB expression for any budget id", () => {
  const scope = { type: "tenant" as const, id: null };
  const budget = { name: "B", scope, unit: "runs" as const, limit: 1, window: "week" as const, time_zone: "UTC" };
  for (let n = 0; n < 300; n++) {
    const of = { ...budget, id: `budget-${n}`, source: "administrator" as const, created_at: "" };
    expect(toApplied(of, null).counter).toMatch(/^\w+$/);
  }
});

it("old counters of a budget ledger are the counters of all windows except the last two of each budget", () => {
  const [daily, monthly, total] = ["a".repeat(10), "b".repeat(10), "c".repeat(10)];
  const names = [
    ...["t", "u"].flatMap((kind) => ["20260309", "20260310", "20260311"].map((day) => `${kind}_${daily}_${day}`)),
    ...[`x_${daily}_20260309_6d`, `t_${monthly}_20260201`, `t_${monthly}_20260301`, `t_${total}_total`, "r_run", "ttl"],
  ];
  const ledger = { pk: "p", sk: "s", ...Object.fromEntries(names.map((name) => [name, 1])) };
  expect(findOldNames(ledger)).toEqual([`t_${daily}_20260309`, `u_${daily}_20260309`, `x_${daily}_20260309_6d`]);
});
