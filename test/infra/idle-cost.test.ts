import { expect, it, vi } from "vitest";
import { computeCost } from "../bench/cost/compute-cost.ts";
import { idleUsage } from "../bench/cost/idle-usage.ts";
import { allEntries, synthesize } from "./synthesize.ts";

it.each([
  ["", 9, 5.46],
  ["openai-compatible", 10, 5.73],
])(
  "deployment without requests costs only alarms, secrets and the polling of queues, with embeddings %j",
  (provider, queues, usd) => {
    if (provider) vi.stubEnv("EMBEDDING_PROVIDER", provider);
    vi.stubEnv("EMBEDDING_BASE_URL", "https://models.example.com/v1");
    const options = { entries: allEntries, hasSite: true, ...(provider && { routeIds: ["startChat", "listFolders"] }) };
    const usage = idleUsage(synthesize(options));
    vi.unstubAllEnvs();
    expect(usage).toMatchObject({ alarmMetric: 33, secret: 3, dashboard: 1, queueRequest: queues * 656_640 });
    const { parts, total } = computeCost(usage, { isMonthly: true });
    const paid = Object.entries(parts).filter(([, usd]) => usd > 0);
    expect(paid.map(([name]) => name).sort()).toEqual(["alarmMetric", "queueRequest", "secret"]);
    expect(total).toBeCloseTo(usd, 2);
  },
);
