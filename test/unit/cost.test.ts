import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { computeCost, perOperation } from "../../infra/cost/compute-cost.ts";
import { INIT_SECONDS, INIT_SHARE, initDuration } from "../../infra/cost/init.ts";
import { type Price, prices, pricesAsOf } from "../../infra/cost/prices.ts";
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
    duration: expect.closeTo(8 / 4 + 0.01 + 0.004 / 4 + 0.01 * 0.25 * (1 / 4 + 1 + 1 / 4), 10),
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

it("share and length of INIT that costs include are stated in docs/guides/costs.md, with their price", () => {
  expect(page).toContain(`${INIT_SECONDS} s, at one of ${1 / INIT_SHARE} invocations`);
  const usd = (memoryMb: number, share: number) =>
    computeCost({ duration: 1_000 * initDuration(memoryMb, share) }).total.toFixed(5);
  for (const memoryMb of [256, 1_024]) {
    const row = `| ${memoryMb.toLocaleString("en-US")} MB | ${usd(memoryMb, INIT_SHARE)} | ${usd(memoryMb, 1)} |`;
    expect(page).toContain(row);
  }
  const turn = computeCost({ duration: 2_800 * initDuration(256, 1) }).total;
  expect(page).toContain(`if each of its 2.80 invocations starts one, ${turn.toFixed(4)}`);
});
