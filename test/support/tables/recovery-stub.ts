import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { awsJson } from "../../../infra/local/aws-json.ts";
import { createTable } from "./metered-table.ts";

type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Parts of requests that tests look at. */
export interface StubRequest {
  readonly TableName?: string;
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest?: { readonly Item: Item } }[]>>;
}

/** Point-in-time recovery in front of a table server that has none. */
export interface RecoveryStub {
  readonly endpoint: string;
  /** Bodies of the requests to restore a table. */
  readonly requests: object[];
  /** Keeps the items that a table had at a time. */
  keepState(table: string, at: string, items: readonly Item[]): void;
  stop(): void;
}

/** Number of looks at a restored table before it is active. */
const CREATING_LOOKS = 2;

/**
 * Starts a stub of `RestoreTableToPointInTime`, which takes the latest state before the time, and of the descriptions of restored tables. It
 * forwards other calls.
 */
export async function startRecoveryStub(
  serverEndpoint: string,
  onRequest: (request: StubRequest) => void = () => {},
): Promise<RecoveryStub> {
  const states: { readonly table: string; readonly seconds: number; readonly items: readonly Item[] }[] = [];
  const requests: object[] = [];
  const restored = new Map<string, { readonly source: string; looks: number }>();

  async function restore(request: { SourceTableName: string; TargetTableName: string; RestoreDateTime: number }) {
    const { SourceTableName: source, TargetTableName: target, RestoreDateTime } = request;
    const state = states.findLast(({ table, seconds }) => table === source && seconds <= RestoreDateTime);
    if (!state) return { __type: "InvalidRestoreTimeException", message: "RestoreDateTime is out of the period" };
    requests.push(request);
    await createTable(serverEndpoint, target);
    for (const Item of state.items) {
      await awsJson(serverEndpoint, "DynamoDB_20120810.PutItem", { TableName: target, Item });
    }
    restored.set(target, { source, looks: 0 });
    return { TableDescription: { TableName: target, TableStatus: "CREATING" } };
  }

  async function handle(operation: string, body: string, headers: Record<string, string>): Promise<Response> {
    const request = JSON.parse(body);
    onRequest(request);
    if (operation === "RestoreTableToPointInTime") {
      const result = await restore(request);
      return Response.json(result, { status: "__type" in result ? 400 : 200 });
    }
    const copy = restored.get(request.TableName);
    if (operation === "DescribeTable" && copy) {
      const TableStatus = copy.looks++ < CREATING_LOOKS ? "CREATING" : "ACTIVE";
      const SourceTableArn = `arn:aws:dynamodb:us-east-1:111122223333:table/${copy.source}`;
      return Response.json({ Table: { TableStatus, RestoreSummary: { SourceTableArn } } });
    }
    if (operation === "DeleteTable") restored.delete(request.TableName);
    return fetch(serverEndpoint, { method: "POST", headers, body });
  }

  const server = createServer(async (incoming, outgoing) => {
    const { host: _, connection: __, "content-length": ___, ...headers } = incoming.headers as Record<string, string>;
    const operation = String(headers["x-amz-target"]).split(".").at(-1) ?? "";
    const response = await handle(operation, await readText(incoming), headers);
    outgoing.writeHead(response.status, { "content-type": "application/x-amz-json-1.0" });
    outgoing.end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    keepState(table, at, items) {
      states.push({ table, seconds: Date.parse(at) / 1_000, items });
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
