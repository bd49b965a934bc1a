import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type AlarmProperties, isRaised } from "#test/support/alarms/evaluate-alarm.ts";
import { type MetricPoint, readMetricPoints } from "#test/support/alarms/metric-points.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { errorResponse, type Script, streamText } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { resourcesOf, synthesize } from "../infra/synthesize.ts";

const operationCount = process.env.SWITCHBOARD_FULL ? 2_000 : 200;

/** Alarms of the stage `prod` as synthesized. */
const alarms = resourcesOf(synthesize(), "AWS::CloudWatch::Alarm").map(
  ({ Properties }) => Properties as AlarmProperties,
);

/** Longest evaluation of an alarm, in periods. */
const maxPeriods = Math.max(...alarms.map(({ EvaluationPeriods }) => EvaluationPeriods));

/** Returns the names of the alarms that the periods raise, without the prefix of the stage. */
const raisedBy = (...periods: readonly (readonly MetricPoint[])[]) =>
  alarms
    .filter((alarm) => isRaised(alarm, periods))
    .map(({ AlarmName }) => AlarmName.replace("switchboard-prod-", ""))
    .sort();

/** Returns the alarms of a situation that lasts: every period has the same data points. */
const raisedByLasting = (points: readonly MetricPoint[]) => raisedBy(...Array(maxPeriods).fill(points));

let table: TableProxy;
let service: ScriptedService;

beforeAll(async () => {
  table = await startTableProxy();
  service = await startScriptedService({
    env: { DYNAMODB_ENDPOINT: table.endpoint, LOCAL_LOG: "1", RATE_LIMIT_CHANNEL: "100000000" },
  });
});

afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

beforeEach(() => {
  service.upstream.script = streamText(["Hello"]);
});

/** Runs a scenario and returns the metric values that the functions wrote during it. */
async function record(scenario: () => Promise<unknown>): Promise<MetricPoint[]> {
  const start = service.output.length;
  await scenario();
  // Lines of functions arrive after the responses.
  await sleep(500);
  return readMetricPoints(service.output.slice(start), "prod");
}

async function chat(): Promise<void> {
  const client = new Client(newIdentity(), service.baseUrl);
  const conversation_id = await client.createConversation();
  await client.chat({ conversation_id, content: "Go", tier: "QUICK" });
}

const chatTimes = (count: number) => mapConcurrent(Array.from({ length: count }), chat);

/** Returns a function that delivers an alert to a new channel. */
async function createChannel(client: Client): Promise<() => Promise<number>> {
  const conversation_id = await client.createConversation("Alerts");
  const channel_id = `c-${randomUUID()}`;
  const { body } = await client.post("/v1/webhooks/register", { channel_id, conversation_id });
  return async () => {
    const raw = JSON.stringify({ severity: "high", description: "Disk full", alert_id: randomUUID() });
    const headers = {
      "content-type": "application/json",
      "x-webhook-provider": "custom",
      "x-webhook-signature": createHmac("sha256", body.secret).update(raw).digest("hex"),
    };
    const url = `${service.baseUrl}/v1/webhooks/${channel_id}`;
    return (await fetch(url, { method: "POST", headers, body: raw })).status;
  };
}

describe("alarms", { timeout: 1_800_000 }, () => {
  it(`stay silent during ${operationCount} healthy operations`, async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const deliver = await createChannel(client);
    const operations: readonly (() => Promise<unknown>)[] = [
      () => client.get("/v1/me"),
      chat,
      deliver,
      () => client.get("/v1/conversations"),
      () => client.post("/v1/knowledge/search", { query: "refund" }),
    ];
    const points = await record(() =>
      mapConcurrent([...Array(operationCount).keys()], async (index) => operations[index % 5]?.()),
    );
    const sumOf = (name: string) =>
      points
        .filter((point) => point.name === name && Object.keys(point.dimensions).length === 1)
        .reduce((sum, { value }) => sum + value, 0);
    expect([sumOf("runs"), sumOf("failed_runs")]).toEqual([operationCount / 5, 0]);
    expect(raisedByLasting(points)).toEqual([]);
  });

  it("report an outage of the model provider once it lasts two periods", async () => {
    const healthy = await record(() => chatTimes(12));
    service.upstream.script = errorResponse(503, "down", { "retry-after": "0" });
    const outage = await record(() => chatTimes(25));
    expect(raisedByLasting(outage)).toEqual(["failed-runs", "provider-errors"]);
    expect(raisedBy(outage, healthy)).toEqual([]);
    expect(raisedBy(healthy, outage)).toEqual([]);
    expect(raisedBy(healthy, outage, outage)).toEqual(["failed-runs", "provider-errors"]);
  });

  it("report a rejected credential of the model provider", async () => {
    service.upstream.script = errorResponse(401, "invalid key");
    expect(raisedByLasting(await record(() => chatTimes(3)))).toContain("model-credential");
  });

  it("report a slow model provider", async () => {
    const answer = streamText(["Hello"]);
    const slow: Script = async (response, request) => {
      await sleep(15_500);
      await answer(response, request);
    };
    service.upstream.script = slow;
    expect(raisedByLasting(await record(() => chatTimes(8)))).toEqual(["slow-runs"]);
  });

  it("report models that cost more than usual", async () => {
    const usage = { prompt_tokens: 2_000_000, completion_tokens: 5, total_tokens: 2_000_005 };
    service.upstream.script = streamText(["Hello"], { usage });
    expect(raisedByLasting(await record(() => chatTimes(8)))).toEqual(["model-cost"]);
  });

  it("report alerts of monitoring tools that are not stored", async () => {
    const deliver = await createChannel(new Client(newIdentity(), service.baseUrl));
    const points = await record(async () => {
      table.faultRates = { throttleRate: 1 };
      const status = await deliver();
      table.faultRates = {};
      expect(status).toBeGreaterThanOrEqual(500);
    });
    expect(raisedByLasting(points)).toEqual(["alert-ingestion"]);
  });
});
