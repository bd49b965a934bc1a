import { expect, it } from "vitest";
import { computeCost } from "../bench/cost/compute-cost.ts";
import { idleUsage } from "../bench/cost/idle-usage.ts";
import { allEntries, synthesize } from "./synthesize.ts";

it("deployment without requests costs only alarms, secrets and the polling of ten queues", () => {
  const usage = idleUsage(synthesize({ entries: allEntries, hasSite: true }));
  expect(usage).toMatchObject({ alarmMetric: 33, secret: 3, dashboard: 1 });
  const { parts, total } = computeCost(usage, { isMonthly: true });
  const paid = Object.entries(parts).filter(([, usd]) => usd > 0);
  expect(paid.map(([name]) => name).sort()).toEqual(["alarmMetric", "queueRequest", "secret"]);
  expect(total).toBeLessThan(5.73);
});
