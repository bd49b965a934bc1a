import { readFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { computeCost } from "../../infra/cost/compute-cost.ts";
import { idleUsage } from "../../infra/cost/idle-usage.ts";
import { allEntries, synthesize, toStackTemplates } from "./synthesize.ts";

const streamingIds = routes.filter(({ streaming }) => streaming).map(({ id }) => id);
const someRoutes = [...streamingIds, "getHealth"];

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Returns what a production stage costs in a month without requests, with all routes or with those that have alarms. */
function idleCostWith(settings: Readonly<Record<string, string>>, routeIds?: readonly string[]) {
  vi.stubEnv("EMBEDDING_BASE_URL", "https://models.example.com/v1");
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const options = { entries: allEntries, hasSite: true, ...(routeIds && { routeIds }) };
  const usage = idleUsage(toStackTemplates(synthesize(options)));
  return { usage, ...computeCost(usage, { isMonthly: true }) };
}

it.each([
  ["no probe", { PROBE: "off" }, undefined, 9, 46, 6.78],
  ["no probe and some routes", { PROBE: "off" }, someRoutes, 9, 46, 6.78],
  ["embeddings", { PROBE: "off", EMBEDDING_PROVIDER: "openai-compatible" }, someRoutes, 10, 46, 7.04],
])(
  "deployment without requests costs only alarms, secrets, the polling of queues and a look for due schedules each minute with %s",
  (_, settings, routeIds, queues, metrics, usd) => {
    const { usage, parts, total } = idleCostWith(settings, routeIds);
    expect(usage).toMatchObject({ alarmMetric: metrics, secret: 3, dashboard: 1, queueRequest: queues * 656_640 });
    const paid = Object.entries(parts).filter(([, part]) => part > 0);
    expect(paid.map(([name]) => name).sort()).toEqual([
      ...["alarmMetric", "duration", "invocation", "queueRequest", "secret", "tableRead"],
    ]);
    expect(usage).toMatchObject({ invocation: 43_776, tableRead: 21_888 });
    expect(total).toBeCloseTo(usd, 2);
  },
);

it("probe of a deployment adds two metrics in alarms and its requests, which a key makes questions", () => {
  const without = idleCostWith({ PROBE: "off" }, someRoutes).total;
  const health = idleCostWith({ PROBE: "" }, someRoutes);
  const key = { PROBE_KEY: "{{resolve:secretsmanager:probe:SecretString}}", PROBE_PERSONA_ID: "p1" };
  const chat = idleCostWith(key, someRoutes);
  expect(health.usage).toMatchObject({ alarmMetric: 48, gatewayRequest: 8_755.2 });
  expect(health.total - without).toBeCloseTo(0.31, 2);
  expect(chat.usage).toMatchObject({ alarmMetric: 48, gatewayRequest: 17_510.4 });
  expect(chat.total - without).toBeCloseTo(0.69, 2);
});

it("total per month without requests in docs/guides/costs.md is that of a production stage", () => {
  const page = readFileSync("docs/guides/costs.md", "utf8");
  expect(page).toContain(`| in total, 2.31 before | | ${idleCostWith({}, someRoutes).total.toFixed(2)} |`);
});
