/**
 * Measures how long events take to healthy receivers while others fail or hang: `node test/bench/events.ts [deliveries]
 * [alerts a second]`. Five tenants have ten endpoints each, of which one fails, one never answers and one answers one byte
 * a second. The time is from the change to the arrival of the event.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, newIdentity } from "#test/support/client.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

const deliveries = Number(process.argv[2] ?? 5_000);
const alertsPerSecond = Number(process.argv[3] ?? 3);
const [TENANTS, ENDPOINTS] = [5, 10];
/** Faults of the last endpoints of a tenant; all others are healthy. */
const faults = ["fails", "hangs", "drips"];

/** Time after the last alert in which events to healthy receivers may still arrive. */
const MAX_WAIT_MS = 120_000;

interface Arrival {
  readonly id: string;
  readonly path: string;
  readonly changedAt: number;
  readonly arrivedAt: number;
}

const arrivals: Arrival[] = [];
const server = createServer(async (request, response) => {
  const arrivedAt = Date.now();
  const path = String(request.url);
  const body = (await Array.fromAsync(request)).join("");
  arrivals.push({
    id: String(request.headers["webhook-id"]),
    path,
    changedAt: Date.parse(JSON.parse(body).timestamp),
    arrivedAt,
  });
  if (path.startsWith("/fails")) return response.writeHead(503).end();
  if (path.startsWith("/hangs")) return;
  if (!path.startsWith("/drips")) return response.writeHead(204).end();
  response.writeHead(200).write("{");
  const timer = setInterval(() => response.write(" "), 1_000);
  request.socket.on("close", () => clearInterval(timer));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const service = await startSwitchboard({ env: { RATE_LIMIT_CHANNEL: "1000000" } });

async function createTenant(tenant: number) {
  const client = new Client(newIdentity(), service.baseUrl);
  const channel = await createChannel({}, client);
  for (let index = 0; index < ENDPOINTS; index++) {
    const name = faults[index - ENDPOINTS + faults.length] ?? "healthy";
    const endpoint = { url: `${url}/${name}/${tenant}/${index}`, types: ["alert.received"] };
    const { status } = await client.post("/v1/event-endpoints", endpoint);
    if (status !== 201) throw new Error(`event endpoint failed with ${status}`);
  }
  return async () => {
    const raw = JSON.stringify({ severity: "high", description: "Disk full", alert_id: randomUUID() });
    const headers = { "x-webhook-signature": hmacHex(String(channel.registration.secret), raw) };
    const { status } = await channel.post(raw, headers);
    if (status !== 200) throw new Error(`alert failed with ${status}`);
  };
}

const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;

/** Returns the first arrival of each event at each receiver whose path begins with a prefix. */
function firstArrivals(prefix: string): Arrival[] {
  const first = new Map<string, Arrival>();
  for (const arrival of arrivals.filter(({ path }) => path.startsWith(prefix))) {
    const key = `${arrival.path} ${arrival.id}`;
    if (!first.has(key)) first.set(key, arrival);
  }
  return [...first.values()];
}

function report(prefix: string, expected: number): void {
  const found = firstArrivals(prefix);
  const seconds = found.map(({ arrivedAt, changedAt }) => (arrivedAt - changedAt) / 1_000).sort((a, b) => a - b);
  const requests = arrivals.filter(({ path }) => path.startsWith(prefix)).length;
  const [median, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(seconds, share).toFixed(2));
  console.log(
    `${prefix.slice(1).padEnd(8)} ${found.length} of ${expected} events, ${requests} requests; seconds to the first: median ${median}, p95 ${p95}, p99 ${p99}, maximum ${seconds.at(-1)?.toFixed(2)}`,
  );
}

try {
  const senders = await Promise.all(Array.from({ length: TENANTS }, (_, tenant) => createTenant(tenant)));
  const alerts = Math.ceil(deliveries / ENDPOINTS);
  const startedAt = Date.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < alerts; index++) {
    await sleep(Math.max(0, startedAt + (index * 1_000) / alertsPerSecond - Date.now()));
    sent.push(senders[index % TENANTS]?.() ?? Promise.resolve());
  }
  await Promise.all(sent);
  const sentMs = Date.now() - startedAt;
  const healthy = ENDPOINTS - faults.length;
  for (const endsAt = Date.now() + MAX_WAIT_MS; Date.now() < endsAt; await sleep(250)) {
    if (firstArrivals("/healthy").length === alerts * healthy) break;
  }
  console.log(
    `${alerts} alerts in ${Math.round(sentMs / 1_000)} s, ${alerts * ENDPOINTS} events to ${TENANTS * ENDPOINTS} receivers`,
  );
  report("/healthy", alerts * healthy);
  for (const name of faults) report(`/${name}`, alerts);
} finally {
  await service.stop();
  server.closeAllConnections();
  server.close();
}
