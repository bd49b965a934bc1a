import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { EventType } from "#shared/api/events/event-data.ts";
import type { Change } from "#shared/changes/processor.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { deliverEvent } from "#shared/events/deliver-event.ts";
import { emitEvents, scheduleRequestedDelivery } from "#shared/events/emit-events.ts";
import { eventEndpointRotation, getEventEndpoint, newEventEndpointWrite } from "#shared/events/endpoint-store.ts";
import { createEndpointSecret, revealEndpointSecret } from "#shared/events/event-secret.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const [eventCount, crashCount] = sized({ usual: [60, 12], full: [400, 24], soak: [5_000, 200] });

const random = seededRandom(34);
const pick = (below: number) => Math.floor(random() * below);

class Crash extends Error {}

/** Crash points: the function dies before or after a write to the table or the queue. */
const faults = vi.hoisted(() => ({
  queue: [] as { readonly body: string; readonly dueMs: number }[],
  step: async <Result>(work: () => Promise<Result>): Promise<Result> => work(),
}));
vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: (_: string, body: string, delaySeconds: number) =>
    faults.step(async () => void faults.queue.push({ body, dueMs: Date.now() + delaySeconds * 1_000 })),
}));
vi.mock("#shared/events/delivery-store.ts", async (importOriginal) => {
  const store = await importOriginal<typeof import("#shared/events/delivery-store.ts")>();
  return {
    ...store,
    recordEventDelivery: (...args: Parameters<typeof store.recordEventDelivery>) =>
      faults.step(() => store.recordEventDelivery(...args)),
    updateEventDelivery: (...args: Parameters<typeof store.updateEventDelivery>) =>
      faults.step(() => store.updateEventDelivery(...args)),
  };
});

let table: MeteredTable;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-01T00:00:00Z") });
});
beforeAll(async () => {
  setFunctionEnvironment();
  table = await startMeteredTable();
});
afterEach(() => vi.useRealTimers());
afterAll(() => table?.stop());

/**
 * Emits the events of changes and delivers them as the change feed and the queue do, with crashes. Time passes between attempts only, and starts with the test.
 * @param count number of deliveries
 * @param onHalf called after half of the first attempts
 */
async function deliverAll(tenantId: string, changes: readonly Change[], count: number, onHalf = async () => {}) {
  let [crashes, steps] = [0, 0];
  faults.queue = [];
  faults.step = async (work) => {
    // Spread over the steps of all deliveries, each of which has at least four.
    const isCrash = crashes < crashCount && ++steps % Math.floor((count * 3.5) / crashCount) === 0;
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
  for (let from = 0; from < changes.length; from += 20) {
    await Promise.all(changes.slice(from, from + 20).map((change) => atLeastOnce(() => emitEvents(change))));
  }
  const listDeliveries = async () =>
    (await table.scan()).filter(
      ({ pk, discriminator }) => discriminator === "event-delivery" && String(pk).startsWith(`${tenantId}#`),
    );
  const requested = await listDeliveries();
  expect(requested).toHaveLength(count);
  for (const after of requested) {
    const change = { id: String(after.id), type: "event-delivery-created", timestamp: 0, before: undefined, after };
    await atLeastOnce(() => scheduleRequestedDelivery(change));
  }
  let attempted = 0;
  while (faults.queue.length > 0) {
    const due = faults.queue.filter(({ dueMs }) => dueMs <= Date.now());
    faults.queue = faults.queue.filter(({ dueMs }) => dueMs > Date.now());
    for (let from = 0; from < due.length; from += 10) {
      const batch = due.slice(from, from + 10).map(({ body }) => atLeastOnce(() => deliverEvent(JSON.parse(body))));
      await Promise.all(batch);
      if (attempted < count / 2 && attempted + 10 >= count / 2) await onHalf();
      attempted += batch.length;
    }
    if (due.length === 0) vi.setSystemTime(Math.min(...faults.queue.map(({ dueMs }) => dueMs)));
  }
  return { deliveries: await listDeliveries(), crashes };
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Receivers of events: those of `/fails` fail at times or lose their response, and `/hangs` never ends the first response to an event. */
async function startReceivers() {
  const received = new Map<string, Received[]>();
  const server = createServer(async (request, response) => {
    const path = String(request.url);
    const body = (await Array.fromAsync(request)).join("");
    const fault = path.startsWith("/fails") ? pick(9) : 3;
    if (fault === 0) return response.writeHead(503).end();
    if (fault === 1) return request.socket.destroy();
    const { headers } = request;
    const earlier = received.get(path) ?? [];
    received.set(path, [...earlier, { headers, body }]);
    if (fault === 2) return request.socket.destroy();
    const isFirst = !earlier.some((other) => other.headers["webhook-id"] === headers["webhook-id"]);
    if (path !== "/hangs" || !isFirst) return response.writeHead(204).end();
    response.writeHead(200).write("{");
    const timer = setInterval(() => response.write(" "), 500);
    request.socket.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const scope = { tenantId: "told" };
const approvals = Math.ceil(eventCount / 8);
/** Each takes the ten seconds after which a request is given up. */
const slowEvents = sized({ usual: 0, full: 8, soak: 20 });

const createChange = (type: string, n: number, item: object): Change => {
  const after = { pk: `${scope.tenantId}#${type}#${n}`, sk: type, discriminator: type, id: `${n}`, ...item };
  return { id: `change-${type}-${n}`, type: `${type}-created`, timestamp: Date.now(), before: undefined, after };
};

async function createEndpoint(id: string, url: string, type: EventType) {
  const { sealed_secret, public_key, hash } = await createEndpointSecret(scope, id, 1);
  await tenantTable(scope).write(
    newEventEndpointWrite(scope, {
      ...{ id, url, types: [type], format: "standard", include_content: false, description: null, enabled: true },
      ...{ disabled_reason: null, public_key, previous_secret_valid_until: null, previous_sealed_secret: null },
      ...{ secret_version: 1, sealed_secret, sealed_headers: null },
      created_at: timestamp(),
    }),
  );
  return revealEndpointSecret(scope.tenantId, id, 1, hash);
}

/** Replaces the secret of an endpoint; the previous one signs for another day. */
async function rotate(id: string) {
  const { sealed_secret, public_key, hash } = await createEndpointSecret(scope, id, 2);
  const stored = await getEventEndpoint(scope, id);
  const previous = {
    previous_sealed_secret: stored.sealed_secret,
    previous_secret_valid_until: timestamp(Date.now() + 86_400_000),
  };
  const change = { sealed_secret, public_key, ...previous, secret_version: 2 };
  await tenantTable(scope).write(eventEndpointRotation(scope, stored, change));
  return revealEndpointSecret(scope.tenantId, id, 2, hash);
}

const isSignedWith = (secret: string, { headers, body }: Received) => {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(signature);
};

it(`events of a tenant reach each endpoint at least once, signed, with ${crashCount} crashes, failing and hanging receivers and a rotation`, async () => {
  Object.assign(process.env, { TOOL_PRIVATE_RANGES: "127.0.0.0/8" });
  process.env.DELIVER_EVENT_QUEUE_URL = "queue";
  const receivers = await startReceivers();
  // Three of ten endpoints fail.
  const paths = ["/a", "/b", "/c", "/d", "/e", "/f", "/fails-1", "/fails-2"];
  const secrets = await Promise.all(
    paths.map((path) => createEndpoint(path.slice(1), receivers.url + path, "approval.requested")),
  );
  const slowSecret = await createEndpoint("hangs", `${receivers.url}/hangs`, "feedback.created");
  const changes = [
    ...Array.from({ length: approvals }, (_, n) => createChange("approval", n, { status: "pending" })),
    ...Array.from({ length: slowEvents }, (_, n) => createChange("listed-feedback", n, { rating: "up" })),
  ];
  let newSecrets: string[] = [];
  const count = approvals * paths.length + slowEvents;
  const { deliveries, crashes } = await deliverAll(scope.tenantId, changes, count, async () => {
    newSecrets = await Promise.all(paths.map((path) => rotate(path.slice(1))));
  });
  receivers.stop();

  expect(crashes).toBe(crashCount);
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(["delivered"]));
  const idsAt = (path: string) => new Set(receivers.received.get(path)?.map(({ headers }) => headers["webhook-id"]));
  expect(paths.map((path) => idsAt(path).size)).toEqual(paths.map(() => approvals));
  expect(new Set(paths.flatMap((path) => [...idsAt(path)])).size).toBe(approvals);
  expect(idsAt("/hangs").size).toBe(slowEvents);
  const signed = [...paths, "/hangs"].map((path, index) => {
    const secret = secrets[index] ?? slowSecret;
    return (receivers.received.get(path) ?? []).every((request) => isSignedWith(secret, request));
  });
  expect(signed).toEqual(signed.map(() => true));
  const withNewSecret = paths.flatMap(
    (path, index) =>
      receivers.received.get(path)?.filter((request) => isSignedWith(newSecrets[index] ?? "", request)) ?? [],
  );
  expect(withNewSecret.length).toBeGreaterThan(count / 4);
});
