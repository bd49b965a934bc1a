import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { indexes, tableKeys } from "#shared/dynamodb/table-layout.ts";
import { awsJson } from "../../../infra/local/aws-json.ts";
import { tableServer } from "../../../infra/local/tables/table-server.ts";

/** What a piece of work costs. */
export interface Units {
  calls: number;
  read: number;
  written: number;
}

/** A table of its own for stores that run in the test's process, with a meter on its line. */
export interface MeteredTable {
  readonly endpoint: string;
  /** Counts what the work consumes. */
  measure(work: () => Promise<unknown>): Promise<Units>;
  /** Lets so many writes through, and then none until the work is over. */
  failAfter<Result>(writes: number, work: () => Promise<Result>): Promise<Result>;
  /** Does what it is told, but nobody hears of it until the work is over. */
  loseAnswers<Result>(work: () => Promise<Result>): Promise<Result>;
  get(pk: string, sk: string): Promise<Record<string, unknown> | undefined>;
  /** All there is in the table; bytes as Base64 text. */
  scan(): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const api = "DynamoDB_20120810";
const tableName = "switchboard-test";

const reading = /BatchGetItem|GetItem|Query/;
const measured = /Item|Query/;

/** What a response says it consumed. */
function consumed(body: string): number {
  const { ConsumedCapacity: capacity } = JSON.parse(body) as { ConsumedCapacity?: unknown };
  return [capacity ?? []]
    .flat()
    .reduce<number>((sum, each) => sum + (each as { CapacityUnits: number }).CapacityUnits, 0);
}

/**
 * Starts a table server with an empty table, and points the stores of this process at it.
 */
export async function startMeteredTable(): Promise<MeteredTable> {
  const directory = await mkdtemp(join(tmpdir(), "table-"));
  const server = await tableServer(join(directory, "table.db"));
  const upstream = new URL(server.endpoint);
  let units: Units = { calls: 0, read: 0, written: 0 };
  let admitted = Number.POSITIVE_INFINITY;
  let losing = false;
  const proxy = createServer(async (incoming, outgoing) => {
    let body = await textOf(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    if (!reading.test(operation) && admitted-- <= 0) {
      // The client itself does not try this again, as it would when throttled.
      outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      outgoing.end('{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"No more"}');
      return;
    }
    const metered = measured.test(operation);
    if (metered) body = JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: "TOTAL" });
    const headers = { ...incoming.headers, host: upstream.host, "content-length": Buffer.byteLength(body) };
    const forwarded = request({ host: upstream.hostname, port: upstream.port, method: "POST", path: "/", headers });
    forwarded.on("response", async (response) => {
      const answer = await textOf(response);
      if (metered && response.statusCode === 200) {
        units.calls++;
        units[reading.test(operation) ? "read" : "written"] += consumed(answer);
      }
      if (losing) return void incoming.socket.destroy();
      // The checksum would be of another body.
      const { "x-amz-crc32": _, ...rest } = response.headers;
      outgoing
        .writeHead(response.statusCode ?? 500, { ...rest, "content-length": Buffer.byteLength(answer) })
        .end(answer);
    });
    forwarded.end(body);
  });
  proxy.keepAliveTimeout = 60_000;
  proxy.listen(0, "127.0.0.1");
  await new Promise((resolve) => proxy.once("listening", resolve));
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    TABLE_NAME: tableName,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    LOG_LEVEL: "error",
  });
  await createTable(server.endpoint);
  return {
    endpoint: server.endpoint,
    async measure(work) {
      units = { calls: 0, read: 0, written: 0 };
      await work();
      return { ...units };
    },
    async failAfter(writes, work) {
      admitted = writes;
      return work().finally(() => {
        admitted = Number.POSITIVE_INFINITY;
      });
    },
    async loseAnswers(work) {
      losing = true;
      return work().finally(() => {
        losing = false;
      });
    },
    async get(pk, sk) {
      const { Item } = (await awsJson(server.endpoint, `${api}.GetItem`, {
        TableName: tableName,
        Key: { pk: { S: pk }, sk: { S: sk } },
        ConsistentRead: true,
      })) as { Item?: Parameters<typeof unmarshall>[0] };
      return Item && unmarshall(Item);
    },
    async scan() {
      const items: Record<string, unknown>[] = [];
      let ExclusiveStartKey: unknown;
      do {
        const page = (await awsJson(server.endpoint, `${api}.Scan`, { TableName: tableName, ExclusiveStartKey })) as {
          Items: Parameters<typeof unmarshall>[0][];
          LastEvaluatedKey?: unknown;
        };
        items.push(...page.Items.map((item) => unmarshall(item)));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return items;
    },
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function createTable(endpoint: string): Promise<void> {
  const schema = ({ pk, sk }: { pk: string; sk: string }) => [
    { AttributeName: pk, KeyType: "HASH" },
    { AttributeName: sk, KeyType: "RANGE" },
  ];
  const names = [tableKeys, ...Object.values(indexes)].flatMap(({ pk, sk }) => [pk, sk]);
  await awsJson(endpoint, `${api}.CreateTable`, {
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: schema(tableKeys),
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, keys]) => ({
      IndexName,
      KeySchema: schema(keys),
      Projection: { ProjectionType: "ALL" },
    })),
  });
}
