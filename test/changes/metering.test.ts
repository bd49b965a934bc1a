import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Change } from "#shared/changes/processor.ts";
import { deliverEvent } from "#shared/events/deliver-event.ts";
import { emitEvents, scheduleRequestedDelivery } from "#shared/events/emit-events.ts";
import { createTenant } from "#shared/tenancy/tenant-store.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const [eventCount, crashCount] = process.env.SWITCHBOARD_FULL ? [5_000, 200] : [60, 12];

const random = seededRandom(34);
const pick = (below: number) => Math.floor(random() * below);

class Crash extends Error {}

/** Crash points: the function dies before or after a write to the table or the queue. */
const faults = vi.hoisted(() => ({
  queue: [] as { readonly body: string; readonly dueMs: number }[],
  step: async <Result>(work: () => Promise<Result>): Promise<Result> => work(),
}));
vi.mock("#shared/lib/aws/sqs.ts", () => ({
  sendToQueue: (_: string, body: string, delaySeconds: number) =>
    faults.step(async () => void faults.queue.push({ body, dueMs: Date.now() + delaySeconds * 1_000 })),
}));
vi.mock("#shared/events/delivery-store.ts", async (importOriginal) => {
  const store = await importOriginal<typeof import("#shared/events/delivery-store.ts")>();
  return {
    ...store,
    recordDelivery: (...args: Parameters<typeof store.recordDelivery>) =>
      faults.step(() => store.recordDelivery(...args)),
    updateDelivery: (...args: Parameters<typeof store.updateDelivery>) =>
      faults.step(() => store.updateDelivery(...args)),
  };
});

let table: MeteredTable;
beforeAll(async () => {
  setFunctionEnvironment();
  table = await startMeteredTable();
});
afterEach(() => vi.useRealTimers());
afterAll(() => table?.stop());

/** Metering service that counts an event once by its id, and fails at times, also after it has taken an event. */
async function startService() {
  const received = new Map<string, { readonly body: string; count: number }>();
  const server = createServer(async (request, response) => {
    const body = (await Array.fromAsync(request)).join("");
    const fault = pick(12);
    if (fault === 0) return response.writeHead(500).end();
    if (fault === 1) return response.writeHead(429).end();
    if (fault === 2) return request.socket.destroy();
    const isStripe = request.url === "/v1/billing/meter_events";
    const id = isStripe ? String(new URLSearchParams(body).get("identifier")) : String(JSON.parse(body).id);
    const earlier = received.get(id);
    received.set(id, { body, count: (earlier?.count ?? 0) + 1 });
    // The response is lost, so that the sender does not know that the event has arrived.
    return fault === 3 ? request.socket.destroy() : response.writeHead(isStripe ? 200 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const createReply = (tenantId: string, n: number, total_tokens: number): Change => {
  const usage = { model: "large", input_tokens: total_tokens, output_tokens: 0, total_tokens, cost_usd: 0.001 };
  const item = {
    id: `chatcmpl-${tenantId}-${n}`,
    key_id: "k",
    persona_id: null,
    created_at: "2026-01-01T00:00:00.000Z",
  };
  const after = { pk: `${tenantId}#completion#${n}`, sk: "completion", discriminator: "completion", ...item, usage };
  return { id: `change-${tenantId}-${n}`, type: "completion-created", timestamp: Date.now(), before: undefined, after };
};

describe("metering of answers", () => {
  it.each([
    ["stripe", (body: string) => Number(new URLSearchParams(body).get("payload[value]"))],
    ["openmeter", (body: string) => Number(JSON.parse(body).data.total_tokens)],
  ])(
    `counts each of ${eventCount} answers once at %s, with ${crashCount} crashes and failures of the service`,
    {
      timeout: 540_000,
    },
    async (format, toAmount) => {
      const service = await startService();
      const tenantId = `metered-${format}`;
      Object.assign(process.env, {
        ...{ METERING_FORMAT: format, METERING_URL: service.url, METERING_KEY: "k", METERING_EVENT: "answers" },
        ...{ METERING_VALUE: "tokens", TOOL_PRIVATE_RANGES: "127.0.0.0/8", DELIVER_EVENT_QUEUE_URL: "queue" },
      });
      const properties = { name: null, plan: null, limits: {}, budgets: [] };
      await createTenant({ tenantId }, { ...properties, billing_id: "cus_1" });
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-01T00:00:00Z") });

      let [crashes, steps] = [0, 0];
      faults.queue = [];
      faults.step = async (work) => {
        // Spread over the steps of all events, each of which has at least four.
        const isCrash = crashes < crashCount && ++steps % Math.floor((eventCount * 3.5) / crashCount) === 0;
        if (!isCrash) return work();
        crashes++;
        if (pick(2) === 0) await work();
        throw new Crash("killed");
      };
      /** Repeats work like the change feed and the queue do after a crash, and sometimes although it succeeded. */
      const atLeastOnce = async (work: () => Promise<void>) => {
        for (let isDone = false; !isDone; ) {
          try {
            await work();
            isDone = pick(20) !== 0;
          } catch (error) {
            if (!(error instanceof Crash)) throw error;
          }
        }
      };

      const amounts = Array.from({ length: eventCount }, () => 1 + pick(1_000));
      const changes = amounts.map((amount, n) => createReply(tenantId, n, amount));
      for (let from = 0; from < eventCount; from += 20) {
        await Promise.all(changes.slice(from, from + 20).map((change) => atLeastOnce(() => emitEvents(change))));
      }
      const listDeliveries = async () =>
        (await table.scan()).filter(
          ({ pk, discriminator }) => discriminator === "event-delivery" && String(pk).startsWith(`${tenantId}#`),
        );
      const deliveries = await listDeliveries();
      expect(deliveries).toHaveLength(eventCount);
      for (const after of deliveries) {
        const change = { id: String(after.id), type: "event-delivery-created", timestamp: 0, before: undefined, after };
        await atLeastOnce(() => scheduleRequestedDelivery(change));
      }
      while (faults.queue.length > 0) {
        const due = faults.queue.filter(({ dueMs }) => dueMs <= Date.now());
        faults.queue = faults.queue.filter(({ dueMs }) => dueMs > Date.now());
        for (let from = 0; from < due.length; from += 10) {
          const batch = due.slice(from, from + 10).map(({ body }) => atLeastOnce(() => deliverEvent(JSON.parse(body))));
          await Promise.all(batch);
        }
        if (due.length === 0) vi.setSystemTime(Math.min(...faults.queue.map(({ dueMs }) => dueMs)));
      }
      service.stop();

      expect(crashes).toBe(crashCount);
      const sent = [...service.received.values()];
      expect(sent).toHaveLength(eventCount);
      expect(sent.some(({ count }) => count > 1)).toBe(true);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, amount) => total + amount, 0);
      expect(sum(sent.map(({ body }) => toAmount(body)))).toBe(sum(amounts));
      const ended = await listDeliveries();
      expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["delivered"]));
    },
  );
});
