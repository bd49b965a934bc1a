import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { sealTarget } from "#shared/events/check-target.ts";
import { deliverEvent } from "#shared/events/deliver-event.ts";
import { findEventDelivery, recordEventDelivery, requestEventDelivery } from "#shared/events/delivery-store.ts";
import { newEventEndpointWrite, type StoredEventEndpoint } from "#shared/events/endpoint-store.ts";
import { endRunLog, storeRun } from "#test/support/chat/ended-run.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type OtlpCollector, startOtlpCollector } from "#test/support/otlp-collector.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const [acme, harbor] = [{ tenantId: "acme" }, { tenantId: "harbor" }];
const created_at = "2026-01-01T00:00:00.000Z";
/** Number of messages that were sent to the queue. */
let scheduled = 0;
const queue = createServer(async (request, response) => {
  await text(request);
  scheduled++;
  response.end("{}");
});
let table: MeteredTable;
let collectors: readonly [OtlpCollector, OtlpCollector];

async function createEndpoint(scope: typeof acme, id: string, url: string, fields: Partial<StoredEventEndpoint> = {}) {
  const target = { id, url, format: "otlp", types: ["run.completed" as const] } as const;
  const secrets = await sealTarget(target, `authorization=${scope.tenantId}`);
  const settings = { description: null, enabled: true, disabled_reason: null, include_content: false, created_at };
  const keyPair = { secret_version: 1, sealed_secret: "", public_key: null, previous_sealed_secret: null };
  const endpoint = { ...target, types: [...target.types], ...secrets, ...settings, ...keyPair, ...fields };
  await tenantTable(scope).write(newEventEndpointWrite(scope, { ...endpoint, previous_secret_valid_until: null }));
}

/** Attempts to deliver the event of an answer, or of a test, to an endpoint, and returns the delivery after the attempt. */
async function deliver(scope: typeof acme, endpointId: string, message_id?: string) {
  const type = message_id === undefined ? "endpoint.test" : "run.completed";
  const event = { id: `evt_${message_id}`, type, at: created_at } as const;
  const payload = JSON.stringify({ type, timestamp: created_at, data: { message_id } });
  const { id: deliveryId } = await recordEventDelivery(scope, endpointId, { ...event, payload });
  await requestEventDelivery(scope, endpointId, deliveryId);
  await deliverEvent({ ...scope, endpointId, deliveryId });
  return findEventDelivery(scope, endpointId, deliveryId);
}

beforeAll(async () => {
  setFunctionEnvironment();
  table = await startMeteredTable();
  collectors = [await startOtlpCollector(), await startOtlpCollector()];
  await new Promise<void>((resolve) => queue.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${(queue.address() as AddressInfo).port}`,
    DELIVER_EVENT_QUEUE_URL: "http://queue.example/deliver-event",
    TOOL_PRIVATE_RANGES: "127.0.0.0/8",
  });
  await storeRun(acme, "m");
  await endRunLog(acme, "m");
  await createEndpoint(acme, "traces", collectors[0].endpoint);
  await createEndpoint(acme, "texts", collectors[0].endpoint, { include_content: true });
  await createEndpoint(harbor, "traces", collectors[1].endpoint);
});

afterAll(async () => {
  queue.close();
  for (const collector of collectors ?? []) collector.stop();
  await table?.stop();
});

beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  scheduled = 0;
  for (const collector of collectors) {
    collector.spans.length = 0;
    collector.credentials.length = 0;
    collector.status = 200;
    collector.headers = {};
    collector.response = Buffer.of();
  }
});

it("deliverEvent() sends the trace of an answer to the collector of its tenant only, with the tenant's headers", async () => {
  expect(await deliver(acme, "traces", "m")).toMatchObject({ status: "delivered", response_status: 200 });
  const [{ spans, credentials }, other] = collectors;
  expect(spans).toMatchObject([{ name: "invoke_agent", attributes: { "switchboard.tenant.id": "acme" } }]);
  expect(credentials).toEqual(["acme"]);
  // An id of another tenant's answer finds no run.
  expect(await deliver(harbor, "traces", "m")).toMatchObject({ status: "delivered", response_status: null });
  await storeRun(harbor, "n");
  await endRunLog(harbor, "n");
  await deliver(harbor, "traces", "n");
  expect(spans).toHaveLength(1);
  expect(other.spans).toMatchObject([{ attributes: { "switchboard.tenant.id": "harbor" } }]);
  expect(other.credentials).toEqual(["harbor"]);
});

it("deliverEvent() sends the texts of an answer only with include_content, and without personal data", async () => {
  await deliver(acme, "traces", "m");
  await deliver(acme, "texts", "m");
  const [without, texts] = collectors[0].spans.map(({ attributes }) => attributes);
  expect(without).not.toHaveProperty("gen_ai.input.messages");
  expect(texts?.["gen_ai.input.messages"]).toContain("Who is [");
  expect(texts?.["gen_ai.output.messages"]).toContain("Mail [");
  expect(JSON.stringify(collectors[0].spans)).not.toMatch(/555 2671|ada@/);
});

it("deliverEvent() schedules a trace again after a status that OTLP calls retryable, and while the run has not ended", async () => {
  collectors[0].status = 503;
  expect(await deliver(acme, "traces", "m")).toMatchObject({ status: "pending", error: "status 503" });
  expect(scheduled).toBe(1);
  collectors[0].status = 401;
  expect(await deliver(acme, "traces", "m")).toMatchObject({ status: "failed", error: "status 401" });
  expect(scheduled).toBe(1);
  collectors[0].status = 200;
  await storeRun(acme, "open");
  expect(await deliver(acme, "traces", "open")).toMatchObject({ status: "pending", error: "run not ended" });
  await endRunLog(acme, "open");
  expect(await deliver(acme, "traces", "open")).toMatchObject({ status: "delivered" });
  expect(scheduled).toBe(2);
});

it("deliverEvent() fails a trace when the collector rejects spans, and does not send the trace again", async () => {
  // A partial success with two rejected spans.
  collectors[0].response = Buffer.of(0x0a, 0x02, 0x08, 0x02);
  const failed = { status: "failed", response_status: 200, error: "2 spans rejected" };
  expect(await deliver(acme, "traces", "m")).toMatchObject(failed);
  // A success without rejected spans.
  collectors[0].response = Buffer.of(0x0a, 0x00);
  expect(await deliver(acme, "traces", "m")).toMatchObject({ status: "delivered" });
  expect(scheduled).toBe(0);
});

it("deliverEvent() judges a compressed response by its status only", async () => {
  collectors[0].headers = { "content-encoding": "gzip" };
  collectors[0].response = gzipSync(Buffer.of(0x0a, 0x00));
  expect(await deliver(acme, "traces", "m")).toMatchObject({ status: "delivered", response_status: 200 });
});

it("deliverEvent() sends a test trace with ids that collectors accept", async () => {
  expect(await deliver(acme, "traces")).toMatchObject({ status: "delivered", response_status: 200 });
  expect(collectors[0].spans).toMatchObject([{ name: "endpoint.test" }]);
});

it("deliverEvent() waits as long as the Retry-After of the receiver says, at most about an hour", async () => {
  const waitAfter = async (seconds: string) => {
    collectors[0].headers = { "retry-after": seconds };
    const delivery = await deliver(acme, "traces", "m");
    return (Date.parse(String(delivery?.next_attempt_at)) - Date.now()) / 1_000;
  };
  collectors[0].status = 429;
  expect(await waitAfter("0")).toBeLessThan(10);
  expect(await waitAfter("600")).toBeGreaterThan(590);
  expect(await waitAfter("86400")).toBeLessThanOrEqual(1.2 * 3_600);
});

it("deliverEvent() connects to a private address only if the address is allowed", async () => {
  process.env.TOOL_PRIVATE_RANGES = "";
  const delivery = await deliver(acme, "traces", "m");
  process.env.TOOL_PRIVATE_RANGES = "127.0.0.0/8";
  expect(delivery).toMatchObject({ status: "pending", error: "address_not_allowed" });
  expect(collectors[0].credentials).toEqual([]);
});
