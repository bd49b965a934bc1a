import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { awsJson } from "../../../infra/local/aws-json.ts";
import type { LocalApp } from "../../../infra/local/local-app.ts";
import { eventually, lambda, lines, start, temporaryDirectory, writeAssembly } from "./fixture.ts";
import { RestFixture } from "./rest-fixture.ts";

const directory = temporaryDirectory();
const changes = join(directory.path, "changes");
const messages = join(directory.path, "messages");
const background = join(directory.path, "background");
let assembly: string;
let app: LocalApp;

const allow = (Action: string[], Resource: unknown) => ({ Effect: "Allow", Action, Resource });
const arnOf = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

beforeAll(async () => {
  const rest = new RestFixture().method("POST", "/call", "Caller").method("POST", "/stranger", "Stranger");
  assembly = writeAssembly(join(directory.path, "assembly"), {
    data: {
      Resources: {
        ...rest.resources,
        Table: {
          Type: "AWS::DynamoDB::Table",
          Properties: {
            AttributeDefinitions: [
              { AttributeName: "pk", AttributeType: "S" },
              { AttributeName: "other", AttributeType: "S" },
            ],
            KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
            GlobalSecondaryIndexes: [
              {
                IndexName: "others",
                KeySchema: [{ AttributeName: "other", KeyType: "HASH" }],
                Projection: { ProjectionType: "ALL" },
              },
            ],
            BillingMode: "PAY_PER_REQUEST",
            StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
            TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
          },
        },
        ...lambda("Changes", "consumer.changes", { environment: { NOTES: changes } }),
        Feed: {
          Type: "AWS::Lambda::EventSourceMapping",
          Properties: {
            EventSourceArn: { "Fn::GetAtt": ["Table", "StreamArn"] },
            FunctionName: { Ref: "Changes" },
            BatchSize: 10,
            StartingPosition: "LATEST",
            MaximumRetryAttempts: 2,
            BisectBatchOnFunctionError: true,
            FunctionResponseTypes: ["ReportBatchItemFailures"],
            FilterCriteria: {
              Filters: [
                {
                  Pattern:
                    '{"eventName":[{"anything-but":"REMOVE"}],"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"wanted"}]}}}}',
                },
              ],
            },
            DestinationConfig: { OnFailure: { Destination: arnOf("Faults") } },
          },
        },
        Faults: { Type: "AWS::SQS::Queue" },
        Messages: {
          Type: "AWS::SQS::Queue",
          Properties: {
            VisibilityTimeout: 1,
            RedrivePolicy: { deadLetterTargetArn: arnOf("Faults"), maxReceiveCount: 2 },
          },
        },
        ...lambda("Consumer", "consumer.messages", { environment: { NOTES: messages } }),
        MessageFeed: {
          Type: "AWS::Lambda::EventSourceMapping",
          Properties: { EventSourceArn: arnOf("Messages"), FunctionName: { Ref: "Consumer" }, BatchSize: 1 },
        },
        ...lambda("Background", "consumer.background", { environment: { NOTES: background } }),
        ...lambda("Caller", "table.handler", {
          policies: [
            allow(["dynamodb:PutItem", "dynamodb:Get*"], arnOf("Table")),
            allow(
              ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:GetQueueAttributes"],
              [arnOf("Messages"), arnOf("Faults")],
            ),
            allow(["lambda:InvokeFunction"], arnOf("Background")),
          ],
        }),
        ...lambda("Stranger", "table.handler", {}),
      },
      Outputs: { TryMessages: { Value: { Ref: "Messages" } }, TryFaults: { Value: { Ref: "Faults" } } },
    },
  });
  app = await start(directory.path, assembly);
});

afterAll(async () => {
  await app?.close();
  directory.remove();
});

type Result = { status?: number; output?: Record<string, unknown>; error?: { name: string; message: string } };

/** Has a function call a service. */
async function call(path: string, service: string, target: string, input: object, by = "http"): Promise<Result> {
  const body = JSON.stringify({ service, target, input, by });
  const response = await fetch(app.url + path, { method: "POST", body });
  return (await response.json()) as Result;
}

const table = (operation: string, input: object) =>
  awsJson(app.tableEndpoint, `DynamoDB_20120810.${operation}`, { TableName: "data-Table", ...input });
const put = (pk: string, more = {}) => table("PutItem", { Item: { pk: { S: pk }, ...more } });
const output = (name: string) => app.outputs.find(({ logicalId }) => logicalId === name)?.value ?? "";
const batches = () =>
  lines(changes).map(
    (line) => JSON.parse(line) as { keys: string[]; names: string[]; source: string; failed: boolean },
  );
const faults = async () => {
  const input = { QueueUrl: output("TryFaults"), VisibilityTimeout: 0, MaxNumberOfMessages: 10 };
  const { output: received } = await call("/call", "SQS", "AmazonSQS.ReceiveMessage", input);
  return ((received?.Messages ?? []) as { Body: string }[]).map(({ Body }) => Body);
};

test("the table is the template's", async () => {
  const { Table } = (await table("DescribeTable", {})) as { Table: Record<string, unknown> };
  expect(Table).toMatchObject({ TableStatus: "ACTIVE", GlobalSecondaryIndexes: [{ IndexName: "others" }] });
  expect(await table("DescribeTimeToLive", {})).toMatchObject({
    TimeToLiveDescription: { TimeToLiveStatus: "ENABLED" },
  });
});

describe("permissions", () => {
  const item = { TableName: "data-Table", Item: { pk: { S: "permitted" } } };

  test.each(["http", "fetch"])("what a role isAllowed goes through by %s", async (by) => {
    expect(await call("/call", "DYNAMODB", "DynamoDB_20120810.PutItem", item, by)).toMatchObject({ status: 200 });
    expect(
      (await call("/call", "DYNAMODB", "DynamoDB_20120810.TransactWriteItems", { TransactItems: [] }, by)).error,
    ).toBeUndefined();
  });

  test.each(["http", "fetch"])("what it does not allow is refused by %s", async (by) => {
    const { error } = await call("/stranger", "DYNAMODB", "DynamoDB_20120810.PutItem", item, by);
    expect(error).toEqual({
      name: "AccessDeniedException",
      message:
        "User: arn:aws:sts::000000000000:assumed-role/data-StrangerRole/data-Stranger is not authorized to perform: dynamodb:PutItem because no identity-based policy isAllowed the dynamodb:PutItem action",
    });
    const scan = await call("/call", "DYNAMODB", "DynamoDB_20120810.Scan", item, by);
    expect(scan.error?.name).toBe("AccessDeniedException");
  });

  test("queues refuse strangers, too", async () => {
    const { status, output: refusal } = await call("/stranger", "SQS", "AmazonSQS.SendMessage", {
      QueueUrl: output("TryMessages"),
      MessageBody: "x",
    });
    expect([status, refusal]).toEqual([400, expect.objectContaining({ __type: "AccessDeniedException" })]);
  });
});

describe("the change feed", () => {
  test("delivers what its filter wants, in order, without writes that change nothing", async () => {
    for (const pk of ["wanted 1", "other", "wanted 2", "wanted 2"]) await put(pk);
    await put("wanted 1", { other: { S: "x" } });
    await table("DeleteItem", { Key: { pk: { S: "wanted 1" } } });
    await eventually(() => batches().flatMap(({ keys }) => keys).length >= 3);
    expect(batches().flatMap(({ keys }) => keys)).toEqual(["wanted 1", "wanted 2", "wanted 1"]);
    expect(batches().flatMap(({ names }) => names)).toEqual(["INSERT", "INSERT", "MODIFY"]);
    expect(batches()[0]?.source).toMatch(/^arn:aws:dynamodb:us-east-1:000000000000:table\/data-Table\/stream\//);
  });

  test("goes on from its checkpoint after a restart, without loss or repetition", async () => {
    const before = batches().length;
    await app.close();
    app = await start(directory.path, assembly);
    await put("wanted after restart");
    await eventually(() => batches().length > before);
    expect(
      batches()
        .slice(before)
        .map(({ keys }) => keys),
    ).toEqual([["wanted after restart"]]);
  });

  test("retries what fails, delivers what stood before it, gives up in the end, and goes on behind it", async () => {
    const before = batches().length;
    await table("TransactWriteItems", {
      TransactItems: [
        { Put: { TableName: "data-Table", Item: { pk: { S: "wanted a" } } } },
        { Put: { TableName: "data-Table", Item: { pk: { S: "wanted b" }, fails: { S: "always" } } } },
        { Put: { TableName: "data-Table", Item: { pk: { S: "wanted c" } } } },
      ],
    });
    await eventually(
      () =>
        batches()
          .slice(before)
          .some(({ keys, failed }) => !failed && keys.includes("wanted c")),
      8000,
    );
    const seen = batches().slice(before);
    expect(seen[0]?.keys).toEqual(["wanted a", "wanted b", "wanted c"]);
    expect(seen.filter(({ failed }) => failed).length).toBeGreaterThanOrEqual(3);
    expect(seen.slice(1).flatMap(({ keys }) => keys)).not.toContain("wanted a");
    const [fault] = await faults();
    expect(JSON.parse(fault ?? "{}")).toMatchObject({
      requestContext: { condition: "RetryAttemptsExhausted" },
      DDBStreamBatchInfo: { batchSize: 1 },
    });
  });
});

describe("queues", () => {
  const send = (MessageBody: string, more = {}) =>
    call("/call", "SQS", "AmazonSQS.SendMessage", { QueueUrl: output("TryMessages"), MessageBody, ...more });
  const delivered = (body: string) =>
    lines(messages)
      .map((line) => JSON.parse(line) as { at: number; bodies: string[] })
      .filter(({ bodies }) => bodies.includes(body));

  test("a delayed message arrives when it should, even if the runner was restarted meanwhile", async () => {
    const sentAt = Date.now();
    expect(await send("late", { DelaySeconds: 2 })).toMatchObject({
      status: 200,
      output: { MD5OfMessageBody: expect.any(String) },
    });
    await send("at once");
    await eventually(() => delivered("at once").length === 1);
    await app.close();
    app = await start(directory.path, assembly);
    const [late] = await eventually(() => delivered("late").length > 0 && delivered("late"));
    expect((late?.at ?? 0) - sentAt).toBeGreaterThanOrEqual(1950);
    expect(delivered("at once")).toHaveLength(1);
  });

  test("a message that keeps failing ends in the dead-letter queue", async () => {
    await send("poison");
    await eventually(() => delivered("poison").length === 2);
    const deadline = Date.now() + 5000;
    while (!(await faults()).includes("poison") && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await faults()).toContain("poison");
    expect(delivered("poison")).toHaveLength(2);
  });
});

test("a function calls another in the background, which is tried three times", async () => {
  const response = await fetch(
    `${output("TryMessages").replace(/\/\d+\/.*/, "")}/2015-03-31/functions/data-Background/invocations`,
    {
      method: "POST",
      headers: { "x-amz-invocation-type": "Event" },
      body: JSON.stringify({ fails: true }),
    },
  );
  expect(response.status).toBe(202);
  await eventually(() => lines(background).length === 3, 8000);
});
