import { unmarshall } from "@aws-sdk/util-dynamodb";
import { indexes, tableKeys } from "#shared/dynamodb/table-layout.ts";
import { awsJson } from "../../../infra/local/aws-json.ts";
import { type ConsumedUnits, isWrite, startTableProxy, type TableFault } from "./table-proxy.ts";

/** Empty table for stores that run in the test's own process, behind a metering proxy. */
export interface MeteredTable {
  readonly endpoint: string;
  /** Returns the capacity that the work consumes. */
  measure(work: () => Promise<unknown>): Promise<ConsumedUnits>;
  /** Lets the given number of writes succeed; all further writes fail until the work ends. */
  failAfter<Result>(writes: number, work: () => Promise<Result>): Promise<Result>;
  /** Performs every call, but drops the responses of the named operations until the work ends. */
  loseResponses<Result>(work: () => Promise<Result>, operations?: RegExp): Promise<Result>;
  /** Lets the first transactions of the work fail with the faults, in their order. */
  failTransactions<Result>(faults: readonly TableFault[], work: () => Promise<Result>): Promise<Result>;
  /** Rejects every read with a throughput error until the work ends. */
  throttleReads<Result>(work: () => Promise<Result>): Promise<Result>;
  get(pk: string, sk: string): Promise<Record<string, unknown> | undefined>;
  /** Returns all items; binary values as Base64 text. */
  scan(): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const API_VERSION = "DynamoDB_20120810";
const TABLE_NAME = "switchboard-test";

type MarshalledItem = Parameters<typeof unmarshall>[0];

/** Starts a table server with an empty table and points the stores of this process at it. */
export async function startMeteredTable(): Promise<MeteredTable> {
  let remainingWrites = Number.POSITIVE_INFINITY;
  let lostResponses: RegExp | null = null;
  let transactionFaults: TableFault[] = [];
  let isThrottlingReads = false;
  const proxy = await startTableProxy((operation) => {
    if (isWrite(operation) && remainingWrites-- <= 0) return "conflict";
    if (isThrottlingReads && !isWrite(operation)) return "throttled";
    if (lostResponses?.test(operation)) return "lost response";
    return (operation === "TransactWriteItems" && transactionFaults.shift()) || null;
  });
  Object.assign(process.env, {
    TABLE_NAME,
    AWS_ENDPOINT_URL: proxy.endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    LOG_LEVEL: "error",
    MAX_CONCURRENT_RUNS: "100",
    RUN_CHECKPOINT_MS: "800",
  });
  const endpoint = proxy.serverEndpoint;
  await createTable(endpoint);
  return {
    endpoint,
    async measure(work) {
      proxy.resetUnits();
      await work();
      return { ...proxy.units };
    },
    async failAfter(writes, work) {
      remainingWrites = writes;
      return work().finally(() => {
        remainingWrites = Number.POSITIVE_INFINITY;
      });
    },
    async loseResponses(work, operations = /./) {
      lostResponses = operations;
      return work().finally(() => {
        lostResponses = null;
      });
    },
    async failTransactions(faults, work) {
      transactionFaults = [...faults];
      return work().finally(() => {
        transactionFaults = [];
      });
    },
    async throttleReads(work) {
      isThrottlingReads = true;
      return work().finally(() => {
        isThrottlingReads = false;
      });
    },
    async get(pk, sk) {
      const { Item } = (await awsJson(endpoint, `${API_VERSION}.GetItem`, {
        TableName: TABLE_NAME,
        Key: { pk: { S: pk }, sk: { S: sk } },
        ConsistentRead: true,
      })) as { Item?: MarshalledItem };
      return Item && unmarshall(Item);
    },
    async scan() {
      const items: Record<string, unknown>[] = [];
      let ExclusiveStartKey: unknown;
      do {
        const page = (await awsJson(endpoint, `${API_VERSION}.Scan`, {
          TableName: TABLE_NAME,
          ExclusiveStartKey,
        })) as { Items: MarshalledItem[]; LastEvaluatedKey?: unknown };
        items.push(...page.Items.map((item) => unmarshall(item)));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return items;
    },
    stop: () => proxy.stop(),
  };
}

/** Creates an empty table. */
export async function createTable(endpoint: string, name = TABLE_NAME): Promise<void> {
  const keySchema = ({ pk, sk }: { pk: string; sk: string }) => [
    { AttributeName: pk, KeyType: "HASH" },
    { AttributeName: sk, KeyType: "RANGE" },
  ];
  const keyAttributes = [tableKeys, ...Object.values(indexes)].flatMap(({ pk, sk }) => [pk, sk]);
  await awsJson(endpoint, `${API_VERSION}.CreateTable`, {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keySchema(tableKeys),
    AttributeDefinitions: keyAttributes.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, keys]) => ({
      IndexName,
      KeySchema: keySchema(keys),
      Projection: { ProjectionType: "ALL" },
    })),
  });
}
