import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { findEventDelivery, recordEventDelivery } from "#shared/events/delivery-store.ts";
import { newEventEndpointWrite } from "#shared/events/endpoint-store.ts";
import type { DeliveryJob } from "#shared/events/schedule-delivery.ts";
import type { OutgoingError } from "#shared/lib/outgoing/guarded-request.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { SimulatedTable } from "#test/support/simulation/simulated-table.ts";
import { VirtualWorld } from "#test/support/simulation/virtual-world.ts";
import { handler } from "../../../functions/jobs/deliver-event.ts";

/** Invocations of the job at a time, and messages of one, as `test/infra/app.test.ts` finds them in the template. */
const [INVOCATIONS, BATCH_SIZE] = [50, 10];

/** Events, each for ten endpoints, and their rate. */
const [EVENTS, EVENTS_PER_SECOND] = [200, 5];

/** Time after which a request is given up. */
const TIMEOUT_MS = 10_000;

interface Message {
  readonly body: string;
  readonly group: string;
  readonly visibleAt: number;
}

/** Behavior of a receiver: it answers after a time in milliseconds, fails, or does not answer. */
type Behavior = number | "fails" | "hangs";

const current = vi.hoisted(() => ({
  world: null as unknown as VirtualWorld,
  table: null as unknown as SimulatedTable,
  send: (_body: string, _delaySeconds: number, _group: string) => {},
  receive: async (_url: string): Promise<number | "timeout"> => 204,
}));

vi.mock("#shared/dynamodb/dynamodb-client.ts", () => ({
  dynamodbClient: () => ({
    call: (operation: never, input: object) => current.table.client.call(operation, input),
  }),
}));
vi.mock("#shared/lib/request-coalescer.ts", () => ({
  coalesceRequests:
    (work: (requests: unknown[]) => Promise<unknown[]>) =>
    async (request: unknown): Promise<unknown> =>
      (await work([request]))[0],
}));
vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async (_url: string, body: string, delaySeconds = 0, group = "") =>
    current.send(body, delaySeconds, group),
}));
vi.mock("#shared/lib/outgoing/guarded-request.ts", async (importOriginal) => {
  const original = await importOriginal<{ OutgoingError: typeof OutgoingError }>();
  return {
    ...original,
    requestGuarded: async (url: string) => {
      const status = await current.receive(url);
      if (status === "timeout") throw new original.OutgoingError("timeout");
      return { url, status, headers: {} };
    },
    readBounded: async () => Buffer.alloc(0),
  };
});

const scope = { tenantId: "t" };
const START_MS = Date.UTC(2026, 0, 1);
const realNow = Date.now;
let behaviors: Map<string, Behavior>;
/** Requests by endpoint: when each began, in seconds of the world. */
let requests: Map<string, number[]>;
let queue: Message[];
let invocations: number;
/** Groups of the messages that are being worked on. */
let groupsInFlight: string[];

beforeAll(() => {
  setFunctionEnvironment({ DELIVER_EVENT_QUEUE_URL: "queue", TABLE_NAME: "t", LOG_LEVEL: "error" });
});
beforeEach(() => {
  const random = seededRandom(37);
  current.world = new VirtualWorld(START_MS);
  current.table = new SimulatedTable(current.world, random);
  [behaviors, requests, queue, invocations, groupsInFlight] = [new Map(), new Map(), [], 0, []];
  Date.now = () => Math.floor(current.world.now);
  vi.spyOn(Math, "random").mockImplementation(random);
  vi.stubGlobal("setTimeout", (run: () => void, delayMs: number) => current.world.schedule(delayMs, run));
  vi.stubGlobal("clearTimeout", (cancel: (() => void) | undefined) => cancel?.());
  current.send = (body, delaySeconds, group) => {
    queue.push({ body, group, visibleAt: current.world.now + delaySeconds * 1_000 });
    current.world.schedule(delaySeconds * 1_000, poll);
  };
  current.receive = async (url) => {
    const id = new URL(url).pathname.slice(1);
    requests.set(id, [...(requests.get(id) ?? []), (current.world.now - START_MS) / 1_000]);
    const behavior = behaviors.get(id) ?? 50;
    await current.world.sleep(typeof behavior === "number" ? behavior : behavior === "hangs" ? TIMEOUT_MS : 50);
    if (behavior === "hangs") return "timeout";
    return behavior === "fails" ? 503 : 204;
  };
});
afterAll(() => {
  Date.now = realNow;
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Delivers visible messages as SQS and Lambda do: those of endpoints with few messages in flight first. */
function poll(): void {
  const inFlight = (group: string) => groupsInFlight.filter((other) => other === group).length;
  while (invocations < INVOCATIONS) {
    const visible = queue.filter(({ visibleAt }) => visibleAt <= current.world.now);
    const batch = visible
      .map((message) => ({ message, count: inFlight(message.group) }))
      .sort((a, b) => a.count - b.count)
      .slice(0, BATCH_SIZE)
      .map(({ message }) => message);
    if (batch.length === 0) return;
    const received = new Set(batch);
    queue = queue.filter((message) => !received.has(message));
    groupsInFlight.push(...batch.map(({ group }) => group));
    invocations++;
    const Records = batch.map(({ body }, index) => ({ messageId: String(index), body }));
    void handler({ Records }).then(() => {
      invocations--;
      for (const { group } of batch) groupsInFlight.splice(groupsInFlight.indexOf(group), 1);
      poll();
    });
  }
}

async function createEndpoint(id: string, behavior: Behavior): Promise<void> {
  behaviors.set(id, behavior);
  const created_at = new Date(START_MS).toISOString();
  const secrets = { secret_version: 1, sealed_secret: "", public_key: null };
  const previous = { previous_sealed_secret: null, previous_secret_valid_until: null, sealed_headers: null };
  const settings = { description: null, enabled: true, disabled_reason: null, include_content: false, created_at };
  const write = tenantTable(scope).write(
    newEventEndpointWrite(scope, {
      ...{ id, url: `https://example.com/${id}`, types: ["run.failed"], format: "slack" },
      ...{ ...secrets, ...previous, ...settings },
    }),
  );
  await current.world.run(current.world.now + 1_000);
  await write;
}

/** Stores an event for an endpoint and enqueues its first attempt. @returns the id of the delivery */
async function emit(endpointId: string, n: number, type: "run.failed" | "endpoint.test" = "run.failed") {
  const at = new Date(current.world.now).toISOString();
  const payload = JSON.stringify({ type, timestamp: at, data: {} });
  const { id } = await recordEventDelivery(scope, endpointId, { id: `evt_${n}`, type, at, payload });
  const job: DeliveryJob = { ...scope, endpointId, deliveryId: id };
  current.send(JSON.stringify(job), 0, endpointId);
  return id;
}

/** Lets virtual time pass, also if nothing happens. */
async function runFor(seconds: number): Promise<void> {
  const end = current.world.now + seconds * 1_000;
  current.world.schedule(seconds * 1_000, () => {});
  await current.world.run(end);
}

async function emitNow(...event: Parameters<typeof emit>): Promise<string> {
  const id = emit(...event);
  await runFor(0.1);
  return id;
}

const countOf = (id: string) => requests.get(id)?.length ?? 0;

async function statusOf(endpointId: string, deliveryId: string) {
  const delivery = findEventDelivery(scope, endpointId, deliveryId);
  await runFor(1);
  return (await delivery)?.status;
}

it("events reach 95 % of healthy receivers within a second while three of ten receivers fail or hang", async () => {
  const endpoints = Array.from({ length: 50 }, (_, index) => `e${index}`);
  const kinds: readonly Behavior[] = ["fails", "hangs", "hangs"];
  for (const [index, id] of endpoints.entries()) await createEndpoint(id, kinds[index % 10] ?? 50);
  const emittedAt = new Map<string, number[]>();
  const startedAt = (current.world.now - START_MS) / 1_000;
  for (let n = 0; n < EVENTS; n++) {
    current.world.schedule((n * 1_000) / EVENTS_PER_SECOND, () => {
      for (const id of endpoints.slice((n % 5) * 10, (n % 5) * 10 + 10)) {
        emittedAt.set(id, [...(emittedAt.get(id) ?? []), startedAt + n / EVENTS_PER_SECOND]);
        void emit(id, n);
      }
    });
  }
  await runFor(EVENTS / EVENTS_PER_SECOND + 60);
  const healthy = endpoints.filter((id) => behaviors.get(id) === 50);
  // Events to a healthy receiver arrive in their order, or a later one is counted as the earlier one.
  const waits = healthy
    .flatMap((id) => (emittedAt.get(id) ?? []).map((at, n) => (requests.get(id)?.[n] ?? Number.POSITIVE_INFINITY) - at))
    .sort((a, b) => a - b);
  expect(waits).toHaveLength(EVENTS * 7);
  expect(waits[Math.ceil(waits.length * 0.95) - 1]).toBeLessThan(1);
});

it("event endpoint that hangs gets one request at a time after the first second, and its pending events when it answers again", async () => {
  await createEndpoint("slow", "hangs");
  const deliveries: string[] = [];
  for (let n = 0; n < 30; n++) {
    deliveries.push(await emitNow("slow", n));
    await runFor(0.2);
  }
  const [first = 0, ...others] = requests.get("slow") ?? [];
  expect(others.every((at) => at - first < 1.5)).toBe(true);
  // Some are due at the very time at which the pause ends.
  for (let n = 30; n < 330; n += 3) {
    for (let same = n; same < n + 3; same++) void emit("slow", same);
    await runFor(1);
  }
  const later = (requests.get("slow") ?? []).filter((at) => at - first > 1.5);
  expect(later.length).toBeGreaterThan(1);
  expect(later.every((at, index) => index === 0 || at - (later[index - 1] ?? 0) >= TIMEOUT_MS / 1_000)).toBe(true);
  behaviors.set("slow", 50);
  await runFor(3_600);
  expect(await Promise.all(deliveries.map((id) => statusOf("slow", id)))).toEqual(deliveries.map(() => "delivered"));
});

it("test event is sent to a paused event endpoint, whose answer ends the pause", async () => {
  await createEndpoint("slow", "hangs");
  await emitNow("slow", 0);
  await runFor(600);
  const before = countOf("slow");
  behaviors.set("slow", 50);
  const event = await emitNow("slow", 1);
  await runFor(1);
  expect(countOf("slow")).toBe(before);
  await emitNow("slow", 2, "endpoint.test");
  await runFor(1);
  const next = await emitNow("slow", 3);
  await runFor(1);
  expect([countOf("slow"), await statusOf("slow", next)]).toEqual([before + 2, "delivered"]);
  await runFor(900);
  expect(await statusOf("slow", event)).toBe("delivered");
});

it("event receiver that answers after three seconds gets each event once", async () => {
  await createEndpoint("late", 3_000);
  const deliveries: string[] = [];
  for (let n = 0; n < 20; n++) {
    deliveries.push(await emitNow("late", n));
    await runFor(0.5);
  }
  await runFor(300);
  expect(countOf("late")).toBe(20);
  expect(await statusOf("late", deliveries.at(-1) ?? "")).toBe("delivered");
});

it("event fails after it has waited for a paused endpoint for a day", async () => {
  await createEndpoint("dead", "hangs");
  const pause = { ...keys.eventPause("t", "dead"), until: START_MS + 72 * 3_600_000, timeouts: 5 };
  const write = tenantTable(scope).write({ put: pause });
  await runFor(1);
  await write;
  const id = await emitNow("dead", 0);
  await runFor(23 * 3_600);
  expect(await statusOf("dead", id)).toBe("pending");
  await runFor(2 * 3_600);
  expect([await statusOf("dead", id), countOf("dead"), queue]).toEqual(["failed", 0, []]);
});
