import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { awsJson } from "../../../infra/local/aws-json.ts";
import { type LocalApp, startLocalApp } from "../../../infra/local/local-app.ts";
import { temporaryDirectory, writeAssembly } from "./fixture.ts";

const directory = temporaryDirectory();
let app: LocalApp;

const tableResource = (name: string, properties: object) => ({
  Type: "AWS::DynamoDB::Table",
  Properties: {
    TableName: name,
    AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    BillingMode: "PAY_PER_REQUEST",
    ...properties,
  },
});

beforeAll(async () => {
  const assembly = writeAssembly(join(directory.path, "assembly"), {
    data: {
      Resources: {
        Expiring: tableResource("expiring", { TimeToLiveSpecification: { AttributeName: "end", Enabled: true } }),
        Lasting: tableResource("lasting", {}),
      },
    },
  });
  app = await startLocalApp({ assembly, stateDir: join(directory.path, "state"), port: 0, ttlSweepIntervalMs: 100 });
});

afterAll(async () => {
  await app?.close(0);
  directory.remove();
});

const callTable = async (operation: string, input: object) =>
  (await awsJson(app.tableEndpoint, `DynamoDB_20120810.${operation}`, input)) as { Items: { sk: { S: string } }[] };

const put = (TableName: string, sk: string, end?: object) =>
  callTable("PutItem", { TableName, Item: { pk: { S: "p" }, sk: { S: sk }, ...(end && { end }) } });

const listSortKeys = async (TableName: string) =>
  (await callTable("Scan", { TableName })).Items.map(({ sk }) => sk.S).sort();

test("sweeper of the local table deletes items with an expired TTL only", async () => {
  const now = Math.floor(Date.now() / 1_000);
  await put("expiring", "future", { N: String(now + 3_600) });
  await put("expiring", "no number", { S: String(now - 60) });
  await put("expiring", "without");
  await put("lasting", "past", { N: String(now - 60) });
  for (let n = 0; n < 30; n++) await put("expiring", `past ${n}`, { N: String(now - 60 - n) });
  await vi.waitFor(async () => expect(await listSortKeys("expiring")).toEqual(["future", "no number", "without"]), {
    timeout: 180_000,
    interval: 50,
  });
  await put("expiring", "soon", { N: String(now + 2) });
  expect(await listSortKeys("expiring")).toContain("soon");
  await vi.waitFor(async () => expect(await listSortKeys("expiring")).not.toContain("soon"), { timeout: 180_000 });
  expect(await listSortKeys("lasting")).toEqual(["past"]);
});
