import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findObject } from "#shared/lib/aws/s3.ts";
import { awsJson } from "../../../infra/local/aws-json.ts";
import type { LocalApp } from "../../../infra/local/local-app.ts";
import { lambdaResources, readLines, startApp, temporaryDirectory, waitUntil, writeAssembly } from "./fixture.ts";
import { RestFixture } from "./rest-fixture.ts";

const directory = temporaryDirectory();
const changes = join(directory.path, "changes");
const batches = join(directory.path, "batches");
const messages = join(directory.path, "messages");
const background = join(directory.path, "background");
let assembly: string;
let app: LocalApp;

const allow = (Action: string[], Resource: unknown) => ({ Effect: "Allow", Action, Resource });
const arnOf = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

beforeAll(async () => {
  const rest = new RestFixture()
    .method("POST", "/call", "Caller")
    .method("POST", "/stranger", "Stranger")
    .method("POST", "/restricted", "Restricted");
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
        ...lambdaResources("Changes", "consumer.changes", {
          environment: { NOTES: changes },
          policies: [
            allow(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], {
              "Fn::GetAtt": ["Table", "StreamArn"],
            }),
            allow(["dynamodb:ListStreams"], "*"),
            allow(["sqs:SendMessage"], arnOf("Faults")),
          ],
        }),
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
        ...lambdaResources("Batches", "consumer.changes", {
          environment: { NOTES: batches },
          policies: [
            allow(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], {
              "Fn::GetAtt": ["Table", "StreamArn"],
            }),
            allow(["dynamodb:ListStreams"], "*"),
            allow(["s3:ListBucket"], arnOf("Failures")),
            allow(["s3:PutObject"], { "Fn::Join": ["", [arnOf("Failures"), "/*"]] }),
          ],
        }),
        BatchFeed: {
          Type: "AWS::Lambda::EventSourceMapping",
          Properties: {
            EventSourceArn: { "Fn::GetAtt": ["Table", "StreamArn"] },
            FunctionName: { Ref: "Batches" },
            StartingPosition: "LATEST",
            MaximumRetryAttempts: 1,
            FunctionResponseTypes: ["ReportBatchItemFailures"],
            FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"batch"}]}}}}' }] },
            DestinationConfig: { OnFailure: { Destination: arnOf("Failures") } },
          },
        },
        Failures: {
          Type: "AWS::S3::Bucket",
          Properties: {
            BucketName: "failures",
            NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
          },
        },
        Stored: {
          Type: "AWS::Events::Rule",
          Properties: {
            EventPattern: {
              source: ["aws.s3"],
              "detail-type": ["Object Created"],
              detail: { bucket: { name: ["failures"] } },
            },
            Targets: [{ Id: "queue", Arn: arnOf("StoredBatches") }],
          },
        },
        StoredBatches: { Type: "AWS::SQS::Queue" },
        Faults: { Type: "AWS::SQS::Queue" },
        Messages: {
          Type: "AWS::SQS::Queue",
          Properties: {
            VisibilityTimeout: 1,
            RedrivePolicy: { deadLetterTargetArn: arnOf("Faults"), maxReceiveCount: 2 },
          },
        },
        ...lambdaResources("Consumer", "consumer.messages", {
          environment: { NOTES: messages },
          policies: [allow(["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], arnOf("Messages"))],
        }),
        MessageFeed: {
          Type: "AWS::Lambda::EventSourceMapping",
          Properties: { EventSourceArn: arnOf("Messages"), FunctionName: { Ref: "Consumer" }, BatchSize: 1 },
        },
        ...lambdaResources("Background", "consumer.background", { environment: { NOTES: background } }),
        ...lambdaResources("Caller", "table.handler", {
          policies: [
            allow(["dynamodb:PutItem", "dynamodb:Get*"], arnOf("Table")),
            allow(
              ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:GetQueueAttributes"],
              [arnOf("Messages"), arnOf("Faults"), arnOf("StoredBatches")],
            ),
            allow(["lambda:InvokeFunction"], arnOf("Background")),
          ],
        }),
        ...lambdaResources("Restricted", "table.handler", {
          policies: [
            {
              ...allow(["dynamodb:*Item", "dynamodb:Query"], arnOf("Table")),
              Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["own#*", "~*"] } },
            },
            { ...allow(["dynamodb:DeleteItem"], arnOf("Table")), Effect: "Deny" },
          ],
        }),
        ...lambdaResources("Stranger", "table.handler", {}),
      },
      Outputs: {
        TryMessages: { Value: { Ref: "Messages" } },
        TryFaults: { Value: { Ref: "Faults" } },
        TryStored: { Value: { Ref: "StoredBatches" } },
      },
    },
  });
  app = await startApp(directory.path, assembly);
});

afterAll(async () => {
  await app?.close();
  directory.remove();
});

type Result = { status?: number; output?: Record<string, unknown>; error?: { name: string; message: string } };

/** Calls a service from within a function. */
async function callFromFunction(
  path: string,
  service: string,
  target: string,
  input: object,
  client = "http",
): Promise<Result> {
  const body = JSON.stringify({ service, target, input, client });
  const response = await fetch(app.url + path, { method: "POST", body });
  return (await response.json()) as Result;
}

const callTable = (operation: string, input: object) =>
  awsJson(app.tableEndpoint, `DynamoDB_20120810.${operation}`, { TableName: "data-Table", ...input });
const put = (pk: string, attributes = {}) => callTable("PutItem", { Item: { pk: { S: pk }, ...attributes } });
const getOutput = (name: string) => app.outputs.find(({ logicalId }) => logicalId === name)?.value ?? "";
const readBatches = () =>
  readLines(changes).map(
    (line) => JSON.parse(line) as { keys: string[]; names: string[]; source: string; failed: boolean },
  );
const receiveFaults = (queue = "TryFaults") => receiveFrom(getOutput(queue));
const receiveFrom = async (QueueUrl: string) => {
  const input = { QueueUrl, VisibilityTimeout: 0, MaxNumberOfMessages: 10 };
  const { output: received } = await callFromFunction("/call", "SQS", "AmazonSQS.ReceiveMessage", input);
  return ((received?.Messages ?? []) as { Body: string }[]).map(({ Body }) => Body);
};

test("local runner creates the table from the template", async () => {
  const { Table } = (await callTable("DescribeTable", {})) as { Table: Record<string, unknown> };
  expect(Table).toMatchObject({ TableStatus: "ACTIVE", GlobalSecondaryIndexes: [{ IndexName: "others" }] });
  expect(await callTable("DescribeTimeToLive", {})).toMatchObject({
    TimeToLiveDescription: { TimeToLiveStatus: "ENABLED" },
  });
});

describe("role of a function in the local runner", () => {
  const item = { TableName: "data-Table", Item: { pk: { S: "permitted" } } };

  test.each(["http", "fetch"])(
    "role of a function in the local runner allows a permitted DynamoDB call that is sent with %s",
    async (client) => {
      expect(await callFromFunction("/call", "DYNAMODB", "DynamoDB_20120810.PutItem", item, client)).toMatchObject({
        status: 200,
      });
      expect(
        (
          await callFromFunction(
            "/call",
            "DYNAMODB",
            "DynamoDB_20120810.TransactWriteItems",
            { TransactItems: [] },
            client,
          )
        ).error,
      ).toBeUndefined();
    },
  );

  test.each(["http", "fetch"])(
    "role of a function in the local runner denies a DynamoDB call without permission that is sent with %s",
    async (client) => {
      const { error } = await callFromFunction("/stranger", "DYNAMODB", "DynamoDB_20120810.PutItem", item, client);
      expect(error).toEqual({
        name: "AccessDeniedException",
        message:
          "User: arn:aws:sts::000000000000:assumed-role/data-StrangerRole/data-Stranger is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table/data-Table because no identity-based policy allows the dynamodb:PutItem action",
      });
      const scan = await callFromFunction("/call", "DYNAMODB", "DynamoDB_20120810.Scan", item, client);
      expect(scan.error?.name).toBe("AccessDeniedException");
    },
  );

  const callRestricted = async (operation: string, input: object, client?: string) => {
    const target = `DynamoDB_20120810.${operation}`;
    const { error } = await callFromFunction("/restricted", "DYNAMODB", target, input, client);
    return error?.message;
  };
  const toKey = (pk: string) => ({ pk: { S: pk } });
  const query = (pk: string, index = {}) => ({
    TableName: "data-Table",
    KeyConditionExpression: "#k = :k",
    ExpressionAttributeNames: { "#k": "pk" },
    ExpressionAttributeValues: { ":k": { S: pk } },
    ...index,
  });
  const put = (pk: string) => ({ Put: { TableName: "data-Table", Item: toKey(pk) } });
  const check = (pk: string) => ({
    ConditionCheck: { TableName: "data-Table", Key: toKey(pk), ConditionExpression: "attribute_not_exists(other)" },
  });

  test.each([
    ["PutItem", { TableName: "data-Table", Item: toKey("own#1") }, { TableName: "data-Table", Item: toKey("other#1") }],
    ["GetItem", { TableName: "data-Table", Key: toKey("~1") }, { TableName: "data-Table", Key: toKey("1") }],
    ["Query", query("own#1"), query("other#1")],
    [
      "BatchGetItem",
      { RequestItems: { "data-Table": { Keys: [toKey("own#1"), toKey("own#2")] } } },
      { RequestItems: { "data-Table": { Keys: [toKey("own#1"), toKey("other#2")] } } },
    ],
    [
      "BatchWriteItem",
      { RequestItems: { "data-Table": [{ PutRequest: { Item: toKey("own#3") } }] } },
      { RequestItems: { "data-Table": [{ DeleteRequest: { Key: toKey("other#3") } }] } },
    ],
    ["TransactWriteItems", { TransactItems: [put("own#4")] }, { TransactItems: [put("own#4"), put("other#4")] }],
    ["TransactWriteItems", { TransactItems: [check("own#5")] }, { TransactItems: [check("other#5")] }],
  ])(
    "role of a function in the local runner allows %s only for the leading keys in the policy's condition",
    async (operation, permitted, forbidden) => {
      expect(await callRestricted(operation, permitted)).toBeUndefined();
      expect(await callRestricted(operation, forbidden)).toContain("no identity-based policy allows the dynamodb:");
      expect(await callRestricted(operation, forbidden, "fetch")).toContain("no identity-based policy allows");
    },
  );

  test("role of a function in the local runner denies a query of an index that no statement names", async () => {
    expect(await callRestricted("Query", query("own#1", { IndexName: "others" }))).toContain(
      "on resource: arn:aws:dynamodb:us-east-1:000000000000:table/data-Table/index/others because",
    );
  });

  test("role of a function in the local runner denies an action that one statement allows and another one denies", async () => {
    expect(await callRestricted("DeleteItem", { TableName: "data-Table", Key: toKey("own#1") })).toContain(
      "with an explicit deny in an identity-based policy",
    );
    expect(
      await callRestricted("TransactWriteItems", {
        TransactItems: [{ Delete: { TableName: "data-Table", Key: toKey("own#1") } }],
      }),
    ).toContain("with an explicit deny");
  });

  test("role of a function in the local runner denies an SQS call that no statement allows", async () => {
    const { status, output: refusal } = await callFromFunction("/stranger", "SQS", "AmazonSQS.SendMessage", {
      QueueUrl: getOutput("TryMessages"),
      MessageBody: "x",
    });
    expect([status, refusal]).toEqual([400, expect.objectContaining({ __type: "AccessDeniedException" })]);
  });
});

test("change feed of the local table delivers the changes that match the filter in order, and none for a write without a change", async () => {
  for (const pk of ["wanted 1", "other", "wanted 2", "wanted 2"]) await put(pk);
  await put("wanted 1", { other: { S: "x" } });
  await callTable("DeleteItem", { Key: { pk: { S: "wanted 1" } } });
  await waitUntil(() => readBatches().flatMap(({ keys }) => keys).length >= 3);
  expect(readBatches().flatMap(({ keys }) => keys)).toEqual(["wanted 1", "wanted 2", "wanted 1"]);
  expect(readBatches().flatMap(({ names }) => names)).toEqual(["INSERT", "INSERT", "MODIFY"]);
  expect(readBatches()[0]?.source).toMatch(/^arn:aws:dynamodb:us-east-1:000000000000:table\/data-Table\/stream\//);
});

test("change feed of the local table continues from its checkpoint after a restart without loss or duplicates", async () => {
  const before = readBatches().length;
  await app.close();
  app = await startApp(directory.path, assembly);
  await put("wanted after restart");
  await waitUntil(() => readBatches().length > before);
  expect(
    readBatches()
      .slice(before)
      .map(({ keys }) => keys),
  ).toEqual([["wanted after restart"]]);
});

test("change feed of the local table sends a record that fails repeatedly to the failure queue and continues with the next", async () => {
  const before = readBatches().length;
  await callTable("TransactWriteItems", {
    TransactItems: [
      { Put: { TableName: "data-Table", Item: { pk: { S: "wanted a" } } } },
      { Put: { TableName: "data-Table", Item: { pk: { S: "wanted b" }, fails: { S: "always" } } } },
      { Put: { TableName: "data-Table", Item: { pk: { S: "wanted c" } } } },
    ],
  });
  await waitUntil(
    () =>
      readBatches()
        .slice(before)
        .some(({ keys, failed }) => !failed && keys.includes("wanted c")),
    8000,
  );
  const newBatches = readBatches().slice(before);
  expect(newBatches[0]?.keys).toEqual(["wanted a", "wanted b", "wanted c"]);
  expect(newBatches.filter(({ failed }) => failed).length).toBeGreaterThanOrEqual(3);
  expect(newBatches.slice(1).flatMap(({ keys }) => keys)).not.toContain("wanted a");
  const [fault] = await receiveFaults();
  expect(JSON.parse(fault ?? "{}")).toMatchObject({
    requestContext: { condition: "RetryAttemptsExhausted" },
    DDBStreamBatchInfo: { batchSize: 1 },
  });
});

describe("S3 bucket as the failure destination of a stream", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("S3 bucket as the failure destination of a stream receives a failed batch with its records, and an EventBridge event follows", async () => {
    await callTable("TransactWriteItems", {
      TransactItems: [
        { Put: { TableName: "data-Table", Item: { pk: { S: "batch a" }, fails: { S: "always" } } } },
        { Put: { TableName: "data-Table", Item: { pk: { S: "batch b" }, other: { S: "x" } } } },
      ],
    });
    await expect.poll(async () => (await receiveFaults("TryStored")).length).toBe(1);
    const stored = await receiveFaults("TryStored");
    const event = JSON.parse(stored[0] ?? "{}");
    expect(event).toMatchObject({
      source: "aws.s3",
      "detail-type": "Object Created",
      detail: { bucket: { name: "failures" } },
    });
    const { key } = event.detail.object as { key: string };
    expect(key).toMatch(/^aws\/lambda\/[\w-]+\/[\w-]+\/\d{4}\/\d\d\/\d\d\/\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\d-[\w-]+$/);
    for (const [name, value] of Object.entries({
      REGION: "us-east-1",
      ACCESS_KEY_ID: "operator",
      SECRET_ACCESS_KEY: "local",
    })) {
      vi.stubEnv(`AWS_${name}`, value);
    }
    vi.stubEnv("AWS_ENDPOINT_URL_S3", new URL(getOutput("TryStored")).origin);
    const content = await findObject({ bucket: "failures", key }, 1_000_000);
    const { payload, ...record } = JSON.parse(content?.toString() ?? "{}");
    expect(record).toMatchObject({
      requestContext: { approximateInvokeCount: 2 },
      DDBStreamBatchInfo: { batchSize: 2 },
    });
    const { Records } = JSON.parse(payload) as { Records: { dynamodb: { NewImage: Record<string, unknown> } }[] };
    expect(Records.map(({ dynamodb }) => dynamodb.NewImage)).toMatchObject([
      { pk: { S: "batch a" } },
      { pk: { S: "batch b" }, other: { S: "x" } },
    ]);
  });
});

describe("local SQS queue", () => {
  const send = (MessageBody: string, options = {}) =>
    callFromFunction("/call", "SQS", "AmazonSQS.SendMessage", {
      QueueUrl: getOutput("TryMessages"),
      MessageBody,
      ...options,
    });
  const findDeliveries = (body: string) =>
    readLines(messages)
      .map((line) => JSON.parse(line) as { at: number; bodies: string[] })
      .filter(({ bodies }) => bodies.includes(body));

  test("local SQS queue delivers a delayed message on time although the runner restarts", async () => {
    const sentAt = Date.now();
    expect(await send("late", { DelaySeconds: 2 })).toMatchObject({
      status: 200,
      output: { MD5OfMessageBody: expect.any(String) },
    });
    await send("at once");
    await waitUntil(() => findDeliveries("at once").length === 1);
    await app.close();
    app = await startApp(directory.path, assembly);
    const [late] = await waitUntil(() => findDeliveries("late").length > 0 && findDeliveries("late"));
    expect((late?.at ?? 0) - sentAt).toBeGreaterThanOrEqual(1950);
    expect(findDeliveries("at once")).toHaveLength(1);
  });

  test("local SQS queue moves a repeatedly failing message to the dead-letter queue", async () => {
    await send("poison");
    await waitUntil(() => findDeliveries("poison").length === 2);
    const deadline = Date.now() + 5000;
    while (!(await receiveFaults()).includes("poison") && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await receiveFaults()).toContain("poison");
    expect(findDeliveries("poison")).toHaveLength(2);
  });
});

test("asynchronous invocation of a failing function is attempted three times", async () => {
  const response = await fetch(
    `${getOutput("TryMessages").replace(/\/\d+\/.*/, "")}/2015-03-31/functions/data-Background/invocations`,
    {
      method: "POST",
      headers: { "x-amz-invocation-type": "Event" },
      body: JSON.stringify({ fails: true }),
    },
  );
  expect(response.status).toBe(202);
  await waitUntil(() => readLines(background).length === 3, 8000);
});
