import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsV4Signer } from "aws4fetch";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DynamodbError, dynamodbClient } from "#shared/dynamodb/dynamodb-client.ts";
import { isRetryableError } from "#shared/dynamodb/retryable-errors.ts";
import { signatureV4 } from "#shared/dynamodb/signature-v4.ts";
import { openTable, TransactionFailed } from "#shared/dynamodb/table.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

describe("the signature", () => {
  it.each([undefined, "a session token"])(
    "is the one that others make of the same request (%s)",
    async (sessionToken) => {
      const settings = { region: "eu-central-1", ...credentials, ...(sessionToken && { sessionToken }) };
      const sign = signatureV4("dynamodb", "dynamodb.eu-central-1.amazonaws.com", settings);
      for (const [body, at] of [
        ["{}", "2026-01-02T03:04:05.678Z"],
        ['{"TableName":"größe"}', "2026-01-02T23:59:59.999Z"],
        ["{}", "2026-01-03T00:00:00.000Z"],
      ] as const) {
        const target = "DynamoDB_20120810.GetItem";
        const { authorization, ...own } = sign(target, body, new Date(at));
        const signer = new AwsV4Signer({
          ...settings,
          method: "POST",
          url: "https://dynamodb.eu-central-1.amazonaws.com/",
          headers: { "content-type": own["content-type"] ?? "", "x-amz-target": target },
          body,
          service: "dynamodb",
          datetime: own["x-amz-date"] ?? "",
          allHeaders: true,
        });
        const { headers } = await signer.sign();
        expect(authorization).toBe(headers.get("authorization"));
      }
    },
  );
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const ok =
  (body: unknown): Answer =>
  (_, response) =>
    void response.end(JSON.stringify(body));
const failure =
  (status: number, type: string, fields: object = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(status)
      .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...fields }));
const lost: Answer = (request) => void request.socket.destroy();

describe("calls", () => {
  let server: Server;
  let answers: Answer[];
  let received: { target: string; body: Record<string, unknown> }[];

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      received.push({ target: String(request.headers["x-amz-target"]), body: JSON.parse(text) });
      (answers.shift() ?? ok({}))(request, response);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    Object.assign(process.env, {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
  });

  beforeEach(() => {
    answers = [];
    received = [];
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("say what they want in DynamoDB's protocol", async () => {
    answers = [
      ok({ Item: { pk: { S: "a" }, sk: { S: "b" }, n: { N: "1.5" }, on: { BOOL: true }, no: { NULL: true } } }),
    ];
    const item = await openTable("the-table").get({ pk: "a", sk: "b" }, { consistent: true });
    expect(item).toEqual({ pk: "a", sk: "b", n: 1.5, on: true, no: null });
    expect(received).toEqual([
      {
        target: "DynamoDB_20120810.GetItem",
        body: { TableName: "the-table", Key: { pk: { S: "a" }, sk: { S: "b" } }, ConsistentRead: true },
      },
    ]);
  });

  it("carry bytes, wherever they are in an item", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    const item = { pk: "a", sk: "b", bytes, deep: { list: [new Uint8Array(bytes), "text"] } };
    await openTable("t").write({ put: item });
    const sent = received[0]?.body.Item as Record<string, unknown>;
    expect(sent.bytes).toEqual({ B: "AP+ACg==" });
    answers = [ok({ Item: sent })];
    expect(await openTable("t").get({ pk: "a", sk: "b" })).toEqual({ ...item, deep: { list: [bytes, "text"] } });
  });

  it.each([
    ["throttling", failure(400, "ProvisionedThroughputExceededException")],
    ["a request limit", failure(400, "RequestLimitExceeded")],
    ["a write against a transaction", failure(400, "TransactionConflictException")],
    ["an internal error", failure(500, "InternalServerError")],
    ["an answer that is no JSON", (_: unknown, response: ServerResponse) => void response.writeHead(503).end("<html>")],
    ["a lost connection", lost],
  ] as [string, Answer][])("are made again after %s", async (_, answer) => {
    answers = [answer, answer, answer, answer, ok({ Item: { pk: { S: "a" }, sk: { S: "b" } } })];
    expect(await dynamodbClient()("GetItem", {})).toMatchObject({ Item: { pk: { S: "a" } } });
    answers = [answer, answer, answer, answer, answer];
    const error = await dynamodbClient()("GetItem", {}).catch((thrown) => thrown);
    expect(received.length).toBe(10);
    expect(error).toBeInstanceOf(Error);
    expect(isRetryableError(error)).toBe(true);
  });

  it.each(["ValidationException", "AccessDeniedException", "ResourceNotFoundException", "UnrecognizedClientException"])(
    "are not made again after %s",
    async (name) => {
      answers = [failure(400, name, { message: "because" })];
      const error = await dynamodbClient()("GetItem", {}).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(DynamodbError);
      expect([error.name, error.message, isRetryableError(error), received.length]).toEqual([name, "because", false, 1]);
    },
  );

  it("of a transaction bear one token as long as it is the same transaction", async () => {
    const conflict = failure(400, "TransactionCanceledException", {
      CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
    });
    answers = [lost, ok({})];
    await openTable("t").transact([{ delete: { pk: "a", sk: "b" } }]);
    const [first, again] = received.map(({ body }) => body.ClientRequestToken);
    expect([typeof first, again]).toEqual(["string", first]);
    answers = [conflict, ok({})];
    await openTable("t").transact([{ delete: { pk: "a", sk: "b" } }]);
    expect(new Set(received.map(({ body }) => body.ClientRequestToken)).size).toBe(3);
  });

  it("tell what a failed condition found", async () => {
    const Item = { pk: { S: "a" }, sk: { S: "b" }, n: { N: "7" } };
    answers = [failure(400, "ConditionalCheckFailedException", { Item })];
    const where = { where: "attribute_not_exists(#pk)" };
    const write = { put: { pk: "a", sk: "b" }, condition: where };
    await expect(openTable("t").write(write)).rejects.toMatchObject({ name: "ConditionFailed", item: { n: 7 } });
    answers = [
      failure(400, "TransactionCanceledException", {
        CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item }],
      }),
    ];
    const failed = await openTable("t")
      .transact([{ delete: { pk: "x", sk: "y" } }, write])
      .catch((error) => error);
    expect(failed).toBeInstanceOf(TransactionFailed);
    expect(failed.failures).toEqual([null, { item: { pk: "a", sk: "b", n: 7 } }]);
  });

  it("of a batch ask again for what was left over", async () => {
    const keys = [
      { pk: "a", sk: "1" },
      { pk: "a", sk: "2" },
    ];
    const [one, two] = keys.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
    answers = [
      ok({ Responses: { t: [one] }, UnprocessedKeys: { t: { Keys: [two] } } }),
      ok({ Responses: { t: [two] } }),
    ];
    expect(await openTable("t").getMany(keys)).toEqual(keys);
    answers = [ok({ UnprocessedItems: { t: [{ DeleteRequest: { Key: two } }] } }), ok({})];
    await openTable("t").deleteMany(keys);
    expect(received.at(-1)?.body).toEqual({ RequestItems: { t: [{ DeleteRequest: { Key: two } }] } });
  });
});
