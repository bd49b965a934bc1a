import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { tableServer } from "../../../infra/local/tables/table-server.ts";

/** Capacity that went through, by DynamoDB's own account. */
export interface ConsumedUnits {
  read: number;
  written: number;
  calls: number;
}

/** How often a write goes wrong, each from 0 to 1. */
export interface WriteFaults {
  /** The connection breaks before the table has heard of it. */
  readonly lostRequests: number;
  /** The table has done it, and the answer is lost. */
  readonly lostAnswers: number;
  /** The table refuses for want of capacity. */
  readonly throttled: number;
  /** Operations that this is about; all by default. */
  readonly only?: RegExp;
}

/** A table server for a whole instance (`DYNAMODB_ENDPOINT`), with a meter and a saboteur on its line. */
export interface TableProxy {
  readonly endpoint: string;
  readonly units: ConsumedUnits;
  /** Consumption by what was done: `PutItem run-log`, `TransactWriteItems`, ... */
  readonly byOperation: Map<string, number>;
  faults: WriteFaults;
  reset(): void;
  stop(): Promise<void>;
}

const noFaults: WriteFaults = { lostRequests: 0, lostAnswers: 0, throttled: 0 };
const writes = /^(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/;
const metered = /Item|Query/;

function unitsIn(answer: string): number {
  const { ConsumedCapacity: consumed } = JSON.parse(answer) as { ConsumedCapacity?: unknown };
  return [consumed ?? []]
    .flat()
    .reduce<number>((sum, each) => sum + (each as { CapacityUnits: number }).CapacityUnits, 0);
}

/** Starts a table server behind a proxy. */
export async function startTableProxy(): Promise<TableProxy> {
  const directory = await mkdtemp(join(tmpdir(), "table-"));
  const server = await tableServer(join(directory, "table.db"));
  const target = new URL(server.endpoint);

  const forward = (incoming: IncomingMessage, body: string) =>
    new Promise<{ response: IncomingMessage; answer: string }>((resolve, reject) => {
      const headers = { ...incoming.headers, host: target.host, "content-length": Buffer.byteLength(body) };
      const forwarded = request({ host: target.hostname, port: target.port, method: "POST", path: "/", headers });
      forwarded.on("response", (response) => textOf(response).then((answer) => resolve({ response, answer }), reject));
      forwarded.on("error", reject);
      forwarded.end(body);
    });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let body = await textOf(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const { lostRequests, lostAnswers, throttled, only = writes } = proxy.faults;
    const chance = writes.test(operation) && only.test(operation) ? Math.random() : 1;
    if (chance < lostRequests) return void incoming.socket.destroy();
    if (chance < lostRequests + throttled) {
      outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      const __type = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException";
      return void outgoing.end(JSON.stringify({ __type, message: "as intended" }));
    }
    if (metered.test(operation)) body = JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: "TOTAL" });
    const { response, answer } = await forward(incoming, body);
    if (metered.test(operation) && response.statusCode === 200) {
      const units = unitsIn(answer);
      proxy.units.calls++;
      proxy.units[writes.test(operation) ? "written" : "read"] += units;
      const kind = `${operation} ${JSON.parse(body).Item?.discriminator?.S ?? ""}`.trim();
      proxy.byOperation.set(kind, (proxy.byOperation.get(kind) ?? 0) + units);
    }
    if (chance < lostRequests + throttled + lostAnswers) return void incoming.socket.destroy();
    // The checksum would be of another body.
    const { "x-amz-crc32": _, ...headers } = response.headers;
    outgoing.writeHead(response.statusCode ?? 500, { ...headers, "content-length": Buffer.byteLength(answer) });
    outgoing.end(answer);
  }

  const listener = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  listener.keepAliveTimeout = 60_000;
  listener.listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const proxy: TableProxy = {
    endpoint: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    units: { read: 0, written: 0, calls: 0 },
    byOperation: new Map(),
    faults: noFaults,
    reset() {
      Object.assign(proxy.units, { read: 0, written: 0, calls: 0 });
      proxy.byOperation.clear();
    },
    async stop() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return proxy;
}
