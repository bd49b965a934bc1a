import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { computeCost, perOperation } from "../bench/cost/compute-cost.ts";
import { type Price, prices, pricesAsOf } from "../bench/cost/prices.ts";
import { type DeployedFunction, recordedUsage } from "../bench/cost/recorded-usage.ts";

const id = "0192c0de-0000-7000-8000-000000000000";

const functions = new Map<string, DeployedFunction>([
  ["start-chat", { memoryMb: 256, isReported: true, kind: "streaming" }],
  ["get-me", { memoryMb: 1_024, isReported: true, kind: "rest" }],
  ["authorizer-jwt", { memoryMb: 256, isReported: true, kind: "authorizer" }],
  ["watch-run", { memoryMb: 256, isReported: false, kind: "job" }],
]);

it("estimated AWS cost is the sum of each quantity times its price", () => {
  const { total, parts } = computeCost({ tableWrite: 20_000, tableRead: 17_000, duration: 2_000 });
  expect(parts.tableWrite).toBeCloseTo(0.0125, 10);
  expect(parts.tableRead).toBeCloseTo(0.002125, 10);
  expect(parts.duration).toBeCloseTo(0.0266668, 10);
  expect(total).toBeCloseTo(0.0412918, 10);
});

it("estimated AWS cost excludes free units only when the quantities are those of a month", () => {
  expect(computeCost({ alarmMetric: 24, dashboard: 1 }, { isMonthly: true })).toEqual({
    total: expect.closeTo(1.4),
    parts: { alarmMetric: expect.closeTo(1.4), dashboard: 0 },
  });
  expect(computeCost({ queueRequest: 1_000_000 }).total).toBeCloseTo(0.4);
});

it("estimated AWS cost includes the invocations, duration, bytes and queue messages in recorded logs", () => {
  const line = JSON.stringify({ message: "request", bytes: 1_000 });
  const usage = recordedUsage(
    {
      readUnits: 17,
      writeUnits: 20,
      output: [
        "Ready on http://127.0.0.1:1",
        `switchboard-local-start-chat: ${line}`,
        `switchboard-local-start-chat: ${id} took 7999.2 ms`,
        `switchboard-local_get-me: ${id} took 10.0 ms`,
        `switchboard-local-authorizer-jwt: ${id} took 5.0 ms`,
        `switchboard-local-watch-run: ${id} took 4.0 ms`,
        "switchboard-local_get-me: TypeError: failed",
      ],
    },
    functions,
  );
  const platformBytes = 2 * 572;
  expect(usage).toMatchObject({
    tableRead: 17,
    tableWrite: 20,
    invocation: 3,
    duration: expect.closeTo(8 / 4 + 0.01 + 0.004 / 4, 10),
    gatewayRequest: 1,
    edgeRequest: 2,
    edgeFunction: 2,
    queueRequest: 3,
    transfer: 1_000,
    log: line.length + 26 + platformBytes + 446,
  });
  expect(perOperation(usage, 2)).toMatchObject({ tableWrite: 10, transfer: 500 });
});

const page = readFileSync("docs/guides/costs.md", "utf8");

it("price table is printed in docs/guides/costs.md with its date and sources", () => {
  expect(page).toContain(`us-east-1, ${pricesAsOf}`);
  for (const { usd, per, unit, free, page: source } of Object.values<Price>(prices)) {
    const quantity = per === 1 ? "" : `${per.toLocaleString("en-US")} `;
    const row = `| ${quantity}${unit} | ${usd} | ${free?.toLocaleString("en-US") ?? ""} | <${source}> |`;
    expect(page).toContain(row.replace("|  |", "| |"));
  }
});
