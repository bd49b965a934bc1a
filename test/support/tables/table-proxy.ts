import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { startTableServer } from "../../../infra/local/tables/table-server.ts";

/** Capacity units and calls, as DynamoDB reports them in `ConsumedCapacity`. */
export interface ConsumedUnits {
  read: number;
  written: number;
  calls: number;
}

/** Failure to inject into one call. */
export type TableFault = "lost request" | "lost response" | "throttled" | "conflict";

/** Chooses the fault for a call by its operation name; null forwards the call. */
export type FaultSelector = (operation: string) => TableFault | null;

/** Probabilities from 0 to 1 with which a call fails. */
export interface WriteFaultRates {
  /** The connection breaks before the table receives the request. */
  readonly lostRequestRate?: number;
  /** The table performs the write, but the response is lost. */
  readonly lostResponseRate?: number;
  /** The table rejects the write with a throughput error. */
  readonly throttleRate?: number;
  /** The table rejects the write, because a concurrent transaction contains the item. */
  readonly conflictRate?: number;
  /** Returns a number from 0 to 1 for each call; `Math.random` by default. */
  readonly random?: () => number;
  /** Operations that may fail; all writes by default. */
  readonly operations?: RegExp;
  /** Callers whose calls may fail; all by default. */
  readonly callers?: RegExp;
}

/** A call of the table. */
export interface TableCall {
  /** Access key of the caller; on the local runner, the name of the function. */
  readonly caller: string;
  readonly operation: string;
  readonly request: Record<string, unknown>;
  /** False for a call that the table rejected, such as a write whose condition failed. */
  readonly isAccepted: boolean;
  /** Capacity units; 0 for a rejected call. */
  readonly units: number;
  /** Times of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Table server behind a proxy that counts consumed capacity and injects faults. */
export interface TableProxy {
  /** Endpoint of the proxy, for `DYNAMODB_ENDPOINT`. */
  readonly endpoint: string;
  /** Endpoint of the table server itself: not metered, never faulty. */
  readonly serverEndpoint: string;
  readonly units: ConsumedUnits;
  /** Units by operation and item type: `PutItem run-log`, `TransactWriteItems`, … */
  readonly unitsByOperation: Map<string, number>;
  /** Number of injected faults by kind. */
  readonly faults: Record<TableFault, number>;
  /** Faults for writes while no fault selector was passed; none by default. */
  faultRates: WriteFaultRates;
  /** Called after each metered call. */
  onCall?: (call: TableCall) => void;
  /** Returns the time that a call takes in addition, so that calls sent at the same time overlap; 0 by default. */
  delayOf: (caller: string) => number;
  resetUnits(): void;
  stop(): Promise<void>;
}

const writeOperations = /^(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/;
const meteredOperations = /Item|Query/;

const errorTypes = {
  throttled: "ProvisionedThroughputExceededException",
  conflict: "TransactionConflictException",
} as const;

/** Returns the error response of a fault. DynamoDB reports a conflict of a whole transaction with a reason for each item. */
function toErrorBody(fault: keyof typeof errorTypes, operation: string, requestBody: string): object {
  const namespace = "com.amazonaws.dynamodb.v20120810#";
  if (fault === "throttled" || operation !== "TransactWriteItems") {
    return { __type: namespace + errorTypes[fault], message: "injected fault" };
  }
  const items = (JSON.parse(requestBody) as { TransactItems: unknown[] }).TransactItems;
  const CancellationReasons = items.map((_, index) => ({ Code: index === 0 ? "TransactionConflict" : "None" }));
  return { __type: `${namespace}TransactionCanceledException`, message: "injected fault", CancellationReasons };
}

/** Reports whether an operation writes. */
export const isWrite = (operation: string): boolean => writeOperations.test(operation);

function selectRandomFault(rates: WriteFaultRates, operation: string, caller: string): TableFault | null {
  const { operations = writeOperations, callers = /^/, random = Math.random } = rates;
  if (!operations.test(operation) || !callers.test(caller)) return null;
  const ratesByFault: readonly (readonly [TableFault, number | undefined])[] = [
    ["lost request", rates.lostRequestRate],
    ["throttled", rates.throttleRate],
    ["lost response", rates.lostResponseRate],
    // A read is never in conflict with a write.
    ["conflict", isWrite(operation) ? rates.conflictRate : 0],
  ];
  let chance = random();
  for (const [fault, rate = 0] of ratesByFault) {
    if (chance < rate) return fault;
    chance -= rate;
  }
  return null;
}

function parseConsumedUnits(responseBody: string): number {
  const { ConsumedCapacity: consumed } = JSON.parse(responseBody) as { ConsumedCapacity?: unknown };
  return [consumed ?? []]
    .flat()
    .reduce<number>((sum, entry) => sum + (entry as { CapacityUnits: number }).CapacityUnits, 0);
}

/** Starts a table server behind a proxy. Without a selector, faults follow `faultRates`. */
export async function startTableProxy(selectFault?: FaultSelector): Promise<TableProxy> {
  const directory = await mkdtemp(join(tmpdir(), "table-"));
  const server = await startTableServer(join(directory, "table.db"));
  const target = new URL(server.endpoint);

  const forward = (incoming: IncomingMessage, body: string) =>
    new Promise<{ response: IncomingMessage; responseBody: string }>((resolve, reject) => {
      const headers = { ...incoming.headers, host: target.host, "content-length": Buffer.byteLength(body) };
      const forwarded = request({ host: target.hostname, port: target.port, method: "POST", path: "/", headers });
      forwarded.on("response", (response) =>
        readText(response).then((responseBody) => resolve({ response, responseBody }), reject),
      );
      forwarded.on("error", reject);
      forwarded.end(body);
    });

  function recordCall(call: TableCall): void {
    const { operation, units } = call;
    const request = call.request as { Item?: { discriminator?: { S: string } } };
    proxy.units.calls++;
    proxy.units[isWrite(operation) ? "written" : "read"] += units;
    const label = `${operation} ${request.Item?.discriminator?.S ?? ""}`.trim();
    proxy.unitsByOperation.set(label, (proxy.unitsByOperation.get(label) ?? 0) + units);
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    let body = await readText(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const caller = /Credential=([^/]+)/.exec(incoming.headers.authorization ?? "")?.[1] ?? "";
    const fault = selectFault ? selectFault(operation) : selectRandomFault(proxy.faultRates, operation, caller);
    if (fault) proxy.faults[fault]++;
    if (fault === "lost request") return void incoming.socket.destroy();
    if (fault === "throttled" || fault === "conflict") {
      outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      return void outgoing.end(JSON.stringify(toErrorBody(fault, operation, body)));
    }
    const isMetered = meteredOperations.test(operation);
    if (isMetered) body = JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: "TOTAL" });
    const { response, responseBody } = await forward(incoming, body);
    const delayMs = proxy.delayOf(caller);
    if (delayMs > 0) await sleep(delayMs);
    if (isMetered) {
      const isAccepted = response.statusCode === 200;
      const units = isAccepted ? parseConsumedUnits(responseBody) : 0;
      const times = { startedAt, endedAt: performance.now() };
      const call = { caller, operation, request: JSON.parse(body), isAccepted, units, ...times };
      if (isAccepted) recordCall(call);
      proxy.onCall?.(call);
    }
    if (fault === "lost response") return void incoming.socket.destroy();
    // `ConsumedCapacity` was added, so the server's checksum no longer matches.
    const { "x-amz-crc32": _, ...headers } = response.headers;
    outgoing.writeHead(response.statusCode ?? 500, { ...headers, "content-length": Buffer.byteLength(responseBody) });
    outgoing.end(responseBody);
  }

  const listener = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  listener.keepAliveTimeout = 60_000;
  listener.listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const proxy: TableProxy = {
    endpoint: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    serverEndpoint: server.endpoint,
    units: { read: 0, written: 0, calls: 0 },
    unitsByOperation: new Map(),
    faults: { "lost request": 0, "lost response": 0, throttled: 0, conflict: 0 },
    faultRates: {},
    delayOf: () => 0,
    resetUnits() {
      Object.assign(proxy.units, { read: 0, written: 0, calls: 0 });
      proxy.unitsByOperation.clear();
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
