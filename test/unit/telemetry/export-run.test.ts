import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { exportRun } from "#shared/telemetry/export-run.ts";
import { endRunLog, storeRun } from "#test/support/chat/ended-run.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type OtlpCollector, startOtlpCollector } from "#test/support/otlp-collector.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "acme" };
const exported = { ...scope, messageId: "m" };

/** Bodies of the messages that were sent to the queue, with their delays. */
const sent: { MessageBody: string; DelaySeconds: number }[] = [];
const queue = createServer(async (request, response) => {
  sent.push(JSON.parse(await text(request)));
  response.end("{}");
});
let table: MeteredTable;
let collector: OtlpCollector;

beforeAll(async () => {
  setFunctionEnvironment();
  [table, collector] = await Promise.all([startMeteredTable(), startOtlpCollector()]);
  await new Promise<void>((resolve) => queue.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${(queue.address() as AddressInfo).port}`,
    WATCH_RUN_QUEUE_URL: "http://queue.example/watch-run",
    OTLP_ENDPOINT: collector.endpoint,
    TOOL_PRIVATE_RANGES: "127.0.0.0/8",
  });
  await storeRun(scope, "m");
  await endRunLog(scope, "m");
});

afterAll(async () => {
  queue.close();
  collector?.stop();
  await table?.stop();
});

beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  sent.length = 0;
  collector.spans.length = 0;
  collector.status = 200;
  process.env.OTLP_CONTENT = "off";
});

it("exportRun() sends the texts of a run only with OTLP_CONTENT=on, and without personal data", async () => {
  await exportRun(exported);
  expect(collector.spans).toMatchObject([{ name: "invoke_agent" }]);
  expect(collector.spans[0]?.attributes).not.toHaveProperty("gen_ai.input.messages");
  process.env.OTLP_CONTENT = "on";
  await exportRun(exported);
  const attributes = collector.spans[1]?.attributes ?? {};
  expect(attributes["gen_ai.input.messages"]).toContain("Who is [");
  expect(attributes["gen_ai.output.messages"]).toContain("Mail [");
  expect(JSON.stringify(attributes)).not.toMatch(/555|ada@/);
});

it("exportRun() tries again later when the collector is overloaded, five times in all", async () => {
  collector.status = 503;
  await exportRun(exported);
  expect(sent).toMatchObject([{ DelaySeconds: 30 }]);
  expect(JSON.parse(sent[0]?.MessageBody ?? "")).toEqual({ ...exported, failedExports: 1 });
  await exportRun({ ...exported, failedExports: 3 });
  await exportRun({ ...exported, failedExports: 4 });
  expect(sent.map(({ DelaySeconds }) => DelaySeconds)).toEqual([30, 900]);
});

it("exportRun() gives up when the collector rejects the request", async () => {
  collector.status = 400;
  await exportRun(exported);
  expect(sent).toEqual([]);
});

it("exportRun() connects to no private address that is not allowed, and to none without an endpoint", async () => {
  process.env.TOOL_PRIVATE_RANGES = "";
  await exportRun(exported);
  process.env.TOOL_PRIVATE_RANGES = "127.0.0.0/8";
  expect(sent).toHaveLength(1);
  process.env.OTLP_ENDPOINT = "";
  await exportRun(exported);
  process.env.OTLP_ENDPOINT = collector.endpoint;
  expect(collector.spans).toEqual([]);
});
