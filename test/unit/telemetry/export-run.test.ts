import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { writeRunControl } from "#shared/runs/run-control-store.ts";
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

/** Lines that were logged. */
let logged: string[];

beforeEach(() => {
  logged = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => logged.push(String(line)) > 0);
  sent.length = 0;
  collector.spans.length = 0;
  collector.status = 200;
  collector.headers = {};
  collector.response = Buffer.of();
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
  expect(JSON.stringify(attributes)).not.toMatch(/555 2671|ada@/);
});

it("exportRun() queues the export again while the collector is overloaded, and gives up after five attempts", async () => {
  collector.status = 503;
  await exportRun(exported);
  expect(JSON.parse(sent[0]?.MessageBody ?? "")).toEqual({ ...exported, failedExports: 1 });
  await exportRun({ ...exported, failedExports: 3 });
  expect(logged.join()).not.toContain("trace not exported");
  await exportRun({ ...exported, failedExports: 4 });
  expect(sent.map(({ DelaySeconds }) => [30, 900].findLast((pause) => DelaySeconds >= pause))).toEqual([30, 900]);
  expect(Math.max(...sent.map(({ DelaySeconds }) => DelaySeconds))).toBeLessThanOrEqual(900);
  expect(logged.join()).toContain("trace not exported");
});

it("exportRun() waits as long as the collector asks, at most 15 minutes", async () => {
  collector.status = 429;
  for (const seconds of ["400", "9000"]) {
    collector.headers = { "retry-after": seconds };
    await exportRun(exported);
  }
  const [delay = 0, longest] = sent.map(({ DelaySeconds }) => DelaySeconds);
  expect(delay).toBeGreaterThanOrEqual(400);
  expect(delay).toBeLessThanOrEqual(480);
  expect(longest).toBe(900);
});

it("exportRun() gives up when the collector rejects spans, and logs why unless the reason can contain texts", async () => {
  // A `Status` with a message.
  collector.response = Buffer.from("\x08\x03\x12\x0bno such key", "latin1");
  for (const status of [400, 413]) {
    collector.status = status;
    await exportRun(exported);
    expect(logged.at(-1)).toMatch(new RegExp(`trace not exported.*"status":${status}.*no such key`));
  }
  collector.status = 200;
  collector.response = Buffer.of();
  await exportRun(exported);
  expect(logged).toHaveLength(2);
  // A partial success with one rejected span and a message.
  collector.response = Buffer.from("\x0a\x0b\x08\x01\x12\x07too old", "latin1");
  await exportRun(exported);
  expect(logged.at(-1)).toMatch(/trace not exported.*"rejected_spans":1.*too old/);
  process.env.OTLP_CONTENT = "on";
  await exportRun(exported);
  expect(logged.at(-1)).toContain('"rejected_spans":1');
  expect(logged.at(-1)).not.toContain("too old");
  expect(sent).toEqual([]);
});

it("exportRun() judges a compressed response by its status only", async () => {
  collector.headers = { "content-encoding": "gzip" };
  collector.response = gzipSync(Buffer.of(0x0a, 0x00));
  await exportRun(exported);
  expect([collector.spans.length, sent, logged]).toEqual([1, [], []]);
});

it("exportRun() sends a run that paused and resumed only once, for its last resumption", async () => {
  await storeRun(scope, "resumed");
  await endRunLog(scope, "resumed");
  await writeRunControl(scope, "resumed", { resumed_by: "second" });
  for (const resumedBy of [undefined, "first", "second"]) {
    await exportRun({ ...scope, messageId: "resumed", ...(resumedBy && { resumedBy }) });
    expect(collector.spans).toHaveLength(resumedBy === "second" ? 1 : 0);
  }
});

it("exportRun() connects to a private address only if the address is allowed, and to no address without an endpoint", async () => {
  process.env.TOOL_PRIVATE_RANGES = "";
  await exportRun(exported);
  process.env.TOOL_PRIVATE_RANGES = "127.0.0.0/8";
  expect(sent).toHaveLength(1);
  process.env.OTLP_ENDPOINT = "";
  await exportRun(exported);
  process.env.OTLP_ENDPOINT = collector.endpoint;
  expect(collector.spans).toEqual([]);
});
