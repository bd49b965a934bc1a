import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { readAwsMetricPoints, readQueueMetricPoints } from "#test/support/alarms/aws-metric-points.ts";
import { type AlarmProperties, evaluatedPeriods, isRaised } from "#test/support/alarms/evaluate-alarm.ts";
import { type MetricPoint, readMetricPoints } from "#test/support/alarms/metric-points.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { errorResponse, type Script, streamText } from "#test/support/models/upstream.ts";
import { type OtlpCollector, startOtlpCollector } from "#test/support/otlp-collector.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { awsJson } from "../../infra/local/aws-json.ts";
import { resourcesOf, synthesize } from "../infra/synthesize.ts";

const operationCount = sized({ usual: 100, full: 250, soak: 2_000 });

/** Alarms of the stage `prod` as synthesized, without that of the probe, which is silent here. */
const alarms = resourcesOf(synthesize(), "AWS::CloudWatch::Alarm")
  .map(({ Properties }) => Properties as AlarmProperties)
  .filter(({ AlarmName }) => AlarmName !== "switchboard-prod-chat-probe");

const shortName = ({ AlarmName }: AlarmProperties) => AlarmName.replace("switchboard-prod-", "");

/** Names of the alarms that a test of this file has raised so far. */
const proven = new Set<string>();

/** Number of periods of five minutes that the alarm with the longest window evaluates. */
const maxPeriods = Math.max(...alarms.map(evaluatedPeriods));

/** Returns the names of the alarms that the periods raise, without the prefix of the stage. */
function raisedBy(...periods: readonly (readonly MetricPoint[])[]): string[] {
  const raised = alarms.filter((alarm) => isRaised(alarm, periods)).map(shortName);
  for (const name of raised) proven.add(name);
  return raised.sort();
}

/** Returns the names of the alarms that are raised if every period has the same data points. */
const raisedByLasting = (points: readonly MetricPoint[]) => raisedBy(...Array(maxPeriods).fill(points));

let table: TableProxy;
let service: ScriptedService;
let collector: OtlpCollector;

beforeAll(async () => {
  [table, collector] = await Promise.all([startTableProxy(), startOtlpCollector()]);
  service = await startScriptedService({
    env: {
      DYNAMODB_ENDPOINT: table.endpoint,
      LOCAL_LOG: "1",
      RATE_LIMIT_CHANNEL: "100000000",
      OTLP_ENDPOINT: collector.endpoint,
      OTLP_HEADERS: "authorization=Bearer%20k",
    },
  });
});

afterAll(async () => {
  await service?.stop();
  await table?.stop();
  collector?.stop();
});

beforeEach(() => {
  service.upstream.script = streamText(["Hello"]);
});

/** Number of writes that the table has rejected with a throughput error. */
const throttledWrites = () => table.faults.throttled;

/** Runs a scenario and returns the metric values that the functions wrote during it, and those that AWS would report. */
async function record(scenario: () => Promise<unknown>): Promise<MetricPoint[]> {
  const [start, throttledBefore] = [service.output.length, throttledWrites()];
  await scenario();
  // The log lines of functions arrive after their responses.
  await sleep(500);
  const output = service.output.slice(start);
  return [
    ...readMetricPoints(output, "prod"),
    ...readAwsMetricPoints(output, "prod"),
    ...readQueueMetricPoints(service.stateDir, "prod"),
    {
      namespace: "AWS/DynamoDB",
      name: "WriteThrottleEvents",
      dimensions: { TableName: "switchboard-prod-table" },
      value: throttledWrites() - throttledBefore,
    },
  ];
}

/**
 * Empties the journal of a queue, from which this file reads the queue's metrics. The instance has a copy in memory.
 */
const forgetQueue = (name: string) => writeFile(join(service.stateDir, `queues/switchboard-local-${name}.jsonl`), "");

/** Returns the counter of requests of a key, whose change a stream processor can only process if it can write. */
const counterOf = (tenantId: string, kind: string) => ({
  pk: { S: `${tenantId}#rate` },
  sk: { S: "now" },
  discriminator: { S: "key-rate" },
  key_kind: { S: kind },
  key_id: { S: "k" },
});

/** Writes an item to the table directly, which the stream processors receive as a change. */
const putItem = (item: Record<string, unknown>) =>
  awsJson(table.serverEndpoint, "DynamoDB_20120810.PutItem", { TableName: "switchboard-local-table", Item: item });

async function chat(headers: Record<string, string> = {}): Promise<void> {
  const client = new Client(newIdentity(), service.baseUrl);
  const conversation_id = await client.createConversation();
  await client.chat({ conversation_id, content: "Go", tier: "QUICK" }, headers);
}

const chatTimes = (count: number) => mapConcurrent(Array.from({ length: count }), () => chat());

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

const completions = { FunctionName: "switchboard-prod-create-chat-completion" };

/** Trace of a caller, and the span in it that asks. */
const caller = { trace: "ab".repeat(16), span: "12".repeat(8) };

describe("CloudWatch alarms", () => {
  it(`CloudWatch alarms are not raised during ${operationCount} successful operations`, async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    // Exported by the watchdog after 20 s; the last test of this file looks at its trace.
    await chat({ traceparent: `00-${caller.trace}-${caller.span}-01` });
    const deliver = await createChannel(client);
    const operations: readonly (() => Promise<unknown>)[] = [
      () => client.get("/v1/me"),
      () => chat(),
      deliver,
      () => client.get("/v1/conversations"),
      () => client.get("/v1/knowledge/search?q=refund"),
    ];
    const points = await record(() =>
      mapConcurrent([...Array(operationCount).keys()], async (index) => operations[index % 5]?.()),
    );
    const sumOf = (name: string) =>
      points
        .filter((point) => point.name === name && Object.keys(point.dimensions).length === 1)
        .reduce((sum, { value }) => sum + value, 0);
    expect([sumOf("runs"), sumOf("failed_runs")]).toEqual([operationCount / 5, 0]);
    expect([sumOf("Count"), sumOf("5XXError"), sumOf("WriteThrottleEvents")]).toEqual([expect.any(Number), 0, 0]);
    expect(sumOf("Count")).toBeGreaterThanOrEqual((operationCount / 5) * 4);
    expect(points.some(({ name }) => name === "processor_lag_ms")).toBe(true);
    expect(raisedByLasting(points)).toEqual([]);
  });

  it("CloudWatch alarms are raised by an outage of the model provider in its first five minutes", async () => {
    const healthy = await record(() => chatTimes(12));
    service.upstream.script = errorResponse(503, "down", { "retry-after": "0" });
    const outage = await record(() => chatTimes(25));
    const burning = ["failed-runs", "failed-runs-slow"];
    expect(raisedByLasting(outage)).toEqual(["chat-outage", ...burning, "provider-errors"]);
    expect(raisedBy(healthy, outage)).toEqual(burning);
    expect(raisedBy(outage, healthy)).toEqual(burning);
    expect(raisedBy(healthy, outage, outage)).toEqual([...burning, "provider-errors"]);
  });

  it("CloudWatch alarms are raised when the model provider rejects the credential", async () => {
    service.upstream.script = errorResponse(401, "invalid key");
    expect(raisedByLasting(await record(() => chatTimes(3)))).toContain("model-credential");
  });

  it.runIf(isFullRun)("CloudWatch alarms are raised by a slow model provider", async () => {
    const answer = streamText(["Hello"]);
    const slow: Script = async (response, request) => {
      await sleep(15_500);
      await answer(response, request);
    };
    service.upstream.script = slow;
    expect(raisedByLasting(await record(() => chatTimes(8)))).toEqual(["slow-runs"]);
  });

  it("CloudWatch alarms are raised when models cost more than usual", async () => {
    const usage = { prompt_tokens: 2_000_000, completion_tokens: 5, total_tokens: 2_000_005 };
    service.upstream.script = streamText(["Hello"], { usage });
    expect(raisedByLasting(await record(() => chatTimes(8)))).toEqual(["model-cost"]);
  });

  it("CloudWatch alarms are raised when webhook alerts cannot be stored", async () => {
    const deliver = await createChannel(new Client(newIdentity(), service.baseUrl));
    const points = await record(async () => {
      table.faultRates = { throttleRate: 1 };
      const status = await deliver();
      table.faultRates = {};
      expect(status).toBeGreaterThanOrEqual(500);
    });
    const burning = ["api-errors", "api-errors-slow"];
    expect(raisedByLasting(points)).toEqual(["alert-ingestion", ...burning, "limiter-failures", "table-throttles"]);
  });

  it("CloudWatch alarms are raised when the table throttles every write", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const conversation_id = await client.createConversation();
    const ask = () => client.chat({ conversation_id, content: "Go", tier: "QUICK" }).catch(() => []);
    const points = await record(async () => {
      table.faultRates = { throttleRate: 1 };
      await mapConcurrent(Array.from({ length: 25 }), () => client.createConversation().catch(() => ""));
      await mapConcurrent(Array.from({ length: 12 }), ask);
      table.faultRates = {};
    });
    const burning = ["api-errors", "api-errors-slow"];
    const others = ["chat-outage", "limiter-failures", "stream-errors", "table-throttles"];
    expect(raisedByLasting(points)).toEqual([...burning, ...others]);
  });

  it("CloudWatch alarms are raised by a table change that cannot be processed", async () => {
    const isFaulty = () => readQueueMetricPoints(service.stateDir, "prod").some(isVisibleFault);
    const isVisibleFault = ({ name, dimensions, value }: MetricPoint) =>
      name.endsWith("Visible") && dimensions.QueueName === "switchboard-prod-faults" && value > 0;
    const points = await record(async () => {
      // Usage counter for a kind of key that does not exist, so that no stream processor can process it.
      await putItem(counterOf("t-poison", "unknown"));
      await expect.poll(isFaulty).toBe(true);
    });
    expect(raisedByLasting(points)).toEqual(["changes-faults"]);
    await forgetQueue("faults");
  });

  it("CloudWatch alarms are raised when a job waits in its queue for 25 minutes", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    await client.createConversation();
    const inTenMinutes = () => readQueueMetricPoints(service.stateDir, "prod", Date.now() + 600_000);
    const isWaiting = ({ name, dimensions, value }: MetricPoint) =>
      name.endsWith("Visible") && dimensions.QueueName === "switchboard-prod-build-export" && value > 0;
    const [requestId, traceparent] = [`r-${randomUUID()}`, `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`];
    let after25Minutes: MetricPoint[] = [];
    await record(async () => {
      // The job needs `UpdateItem` from its start, but the request does not. So the request succeeds, the job fails,
      // and its message stays in the queue.
      table.faultRates = { throttleRate: 1, operations: /^UpdateItem$/ };
      expect((await client.post("/v1/exports", {}, { "x-request-id": requestId, traceparent })).status).toBe(202);
      table.faultRates = { throttleRate: 1 };
      await expect.poll(() => inTenMinutes().some(isWaiting)).toBe(true);
      await sleep(2_000);
      // The stream processor that sent the message got the request from the item.
      const journal = readFileSync(join(service.stateDir, "queues/switchboard-local-build-export.jsonl"), "utf8");
      expect([requestId, traceparent].filter((id) => !journal.includes(id))).toEqual([]);
      // Metrics must be read before the table recovers, because the job then succeeds and its message is deleted.
      after25Minutes = readQueueMetricPoints(service.stateDir, "prod", Date.now() + 25 * 60_000);
      table.faultRates = {};
    });
    expect(raisedByLasting(after25Minutes)).toEqual(["job-backlog"]);
    await forgetQueue("build-export");
  });

  it.runIf(isFullRun)("CloudWatch alarms are raised when a stream processor makes no progress", async () => {
    const points = await record(async () => {
      table.faultRates = { throttleRate: 1 };
      await putItem(counterOf("t-stuck", "api-key"));
      const received = () => readMetricPoints(service.output.slice(-200), "prod");
      const isBehind = ({ name, value }: MetricPoint) => name === "processor_lag_ms" && value > 60_000;
      await expect.poll(() => received().some(isBehind), { interval: 1_000 }).toBe(true);
      table.faultRates = {};
    });
    const own = points.filter(({ namespace }) => namespace !== "AWS/DynamoDB");
    expect(raisedByLasting(own)).toEqual(["changes-lag"]);
  });

  it.each([
    ["failed-jobs", "AWS/SQS", "ApproximateNumberOfMessagesVisible", { QueueName: "switchboard-prod-file-faults" }, 1],
    ["function-errors", "AWS/Lambda", "Errors", completions, 5],
    ["function-throttles", "AWS/Lambda", "Throttles", completions, 1],
    ["concurrency", "AWS/Lambda", "ConcurrentExecutions", { FunctionName: "switchboard-prod-start-chat" }, 801],
    ["key-set-failures", "Switchboard", "key_set_unavailable", { stage: "prod" }, 1],
  ] as const)(
    "CloudWatch alarms include %s, which is raised by the metric %s %s above its threshold",
    (alarm, namespace, name, dimensions, value) => {
      const point = { namespace, name, dimensions };
      expect(raisedByLasting([{ ...point, value }])).toEqual([alarm]);
      expect(raisedByLasting([{ ...point, value: value - 1 }])).toEqual([]);
    },
  );

  it("CloudWatch alarm for function errors does not count streams that functions cut off themselves after an error event", () => {
    const errors = { namespace: "AWS/Lambda", name: "Errors", dimensions: completions, value: 40 };
    const cutOff = { namespace: "Switchboard", name: "cut_off_streams", dimensions: { stage: "prod" } };
    expect(raisedByLasting([errors, { ...cutOff, value: 36 }])).toEqual([]);
    expect(raisedByLasting([errors, { ...cutOff, value: 35 }])).toEqual(["function-errors"]);
  });

  it.runIf(isFullRun)("CloudWatch alarms are each raised by at least one test of this suite", () => {
    expect([...proven].sort()).toEqual(alarms.map(shortName).sort());
  });
});

it("traces of answers arrive at an OpenTelemetry collector as spans of the caller's trace", async () => {
  const own = () => collector.spans.filter(({ traceId }) => traceId === caller.trace);
  await expect.poll(own).toMatchObject([
    { name: "invoke_agent", parentSpanId: caller.span, attributes: { "gen_ai.request.model": "gpt-4o" } },
    {
      name: "chat gpt-4o",
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": expect.any(Number) },
    },
  ]);
  const [root, call] = own();
  expect(call?.parentSpanId).toBe(root?.spanId);
  expect(new Set(collector.credentials)).toEqual(new Set(["Bearer k"]));
  expect(JSON.stringify(collector.spans)).not.toContain("Hello");
});
