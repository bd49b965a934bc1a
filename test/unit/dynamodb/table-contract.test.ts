import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { dynamodbClient } from "#shared/dynamodb/dynamodb-client.ts";
import { isRetryableError } from "#shared/dynamodb/is-retryable-error.ts";
import { openTable } from "#shared/dynamodb/open-table.ts";
import {
  absent,
  absentOrExpired,
  allOf,
  anyOf,
  atMost,
  type Condition,
  differs,
  equals,
  exists,
  greaterThan,
  hasAttribute,
  lacksAttribute,
  lessThan,
  notDeleted,
  type Table,
  TransactionFailed,
  unchanged,
} from "#shared/dynamodb/table.ts";
import { DynamodbError } from "#shared/dynamodb/table-client.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

/** Returns a value with its bytes as Base64 text. */
function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(withBase64);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBase64(each)]));
}

const key = { pk: "t#a", sk: "1" };

describe("Table class with a local DynamoDB engine", () => {
  let engine: MeteredTable;
  let table: Table;
  const partition = "t#contract";
  const item = (sk: string, attributes: object = {}) => ({ pk: partition, sk, ...attributes });

  beforeAll(async () => {
    engine = await startMeteredTable();
    table = openTable(process.env.TABLE_NAME ?? "", dynamodbClient());
  });
  afterAll(() => engine.stop());

  it("Table class stores and reads every kind of value", async () => {
    const stored = item("values", {
      text: "größe ☕",
      empty: "",
      number: 1.5,
      large: 12_345_678_901_234_568,
      negative: -0.25,
      yes: true,
      nothing: null,
      list: [1, "two", { three: 3 }],
      map: { nested: { bytes: Buffer.from([0, 255, 10]) } },
      bytes: Buffer.from([1, 2, 3]),
      missing: undefined,
    });
    await table.write({ put: stored });
    const { missing, ...expected } = stored as typeof stored & { missing?: undefined };
    const found = await table.get(item("values"));
    expect(withBase64(found)).toEqual(withBase64(expected));
    expect(missing).toBeUndefined();
  });

  it("Table class writes many attributes with long names under a condition for each", async () => {
    const names = Array.from({ length: 70 }, (_, index) => `attribute_${index}_with_a_name_of_forty_characters`);
    const toValues = (value: number) => Object.fromEntries(names.map((each) => [each, value]));
    const write = {
      update: item("long"),
      add: toValues(1),
      condition: allOf(names.map((each) => anyOf([lacksAttribute(each), lessThan({ [each]: 2 })]))),
    };
    await table.write(write);
    await table.write(write);
    expect(await table.get(item("long"))).toMatchObject(toValues(2));
    await expect(table.write(write)).rejects.toMatchObject({ item: toValues(2) });
    await table.write({ update: item("long"), remove: names });
    expect(await table.get(item("long"))).toEqual(item("long"));
  });

  it("Table class replaces unpaired surrogates, which DynamoDB rejects", async () => {
    await table.write({ put: item("surrogate", { text: "half \ud83d end", literal: "\\ud83d" }) });
    expect(await table.get(item("surrogate"))).toMatchObject({ text: "half \ufffd end", literal: "\\ud83d" });
  });

  it("Table class returns undefined for items that are absent or expired and for invalid keys", async () => {
    await table.write({ put: item("expired", { ttl: 1 }) });
    expect(await table.get(item("absent"))).toBeUndefined();
    expect(await table.get(item("expired"), { consistent: true })).toBeUndefined();
    expect(await table.get(item(""))).toBeUndefined();
    expect(await table.get(item("x".repeat(1_025)))).toBeUndefined();
  });

  it("Table class sends concurrent reads in one request", async () => {
    const sortKeys = Array.from({ length: 30 }, (_, index) => `many-${String(index).padStart(2, "0")}`);
    for (const sk of sortKeys) await table.write({ put: item(sk) });
    const { calls } = await engine.measure(async () => {
      const found = await Promise.all(sortKeys.map((sk) => table.get(item(sk))));
      expect(found.map((each) => each?.sk)).toEqual(sortKeys);
    });
    expect(calls).toBeLessThan(10);
    expect((await table.getMany([...sortKeys, "many-absent"].map((sk) => item(sk)))).length).toBe(30);
  });

  it("Table class queries by key prefix, position and range in both directions", async () => {
    for (const sk of ["q#1", "q#2", "q#3", "q#4", "r#1"]) await table.write({ put: item(sk) });
    await table.write({ put: item("q#5", { ttl: 1 }) });
    const keysOf = async (query: object) => (await table.query({ pk: partition, ...query })).map(({ sk }) => sk);
    expect(await keysOf({ prefix: "q#" })).toEqual(["q#1", "q#2", "q#3", "q#4"]);
    expect(await keysOf({ prefix: "q#", descending: true, limit: 2 })).toEqual(["q#4", "q#3"]);
    expect(await keysOf({ prefix: "q#", after: "q#2" })).toEqual(["q#3", "q#4"]);
    expect(await keysOf({ prefix: "q#", after: "q#3", descending: true })).toEqual(["q#2", "q#1"]);
    expect(await keysOf({ prefix: "q#", after: "q#1", limit: 1, consistent: true })).toEqual(["q#2"]);
    expect(await keysOf({ between: ["q#2", "q#3"] })).toEqual(["q#2", "q#3"]);
    expect(await keysOf({ after: "q#4" })).toContain("r#1");
  });

  it("Table class returns only the named attributes of a query's items, with their keys, and no expired item", async () => {
    const gsi1pk = `${partition}-part`;
    const put = (sk: string, attributes: object = {}) =>
      table.write({ put: item(sk, { gsi1pk, gsi1sk: sk, name: sk, size: 1, text: "long", ...attributes }) });
    await Promise.all([put("part#1"), put("part#2"), put("part#3"), put("part#4", { ttl: 1 })]);
    const attributes = ["name", "size", "missing"];
    const toPart = (sk: string) => item(sk, { name: sk, size: 1 });
    const query = { pk: partition, prefix: "part#", attributes };
    expect(await table.query({ ...query, after: "part#1" })).toEqual([toPart("part#2"), toPart("part#3")]);
    expect(await table.query({ index: "gsi1", pk: gsi1pk, attributes, limit: 1 })).toEqual([
      { ...toPart("part#1"), gsi1pk, gsi1sk: "part#1" },
    ]);
  });

  it("Table class reads all pages of a query on a large partition", async () => {
    const text = "x".repeat(200_000);
    for (let index = 0; index < 8; index++) await table.write({ put: item(`big#${index}`, { text }) });
    expect((await table.query({ pk: partition, prefix: "big#" })).length).toBe(8);
    expect((await table.query({ pk: partition, prefix: "big#", limit: 7 })).length).toBe(7);
  });

  it("Table class queries an index", async () => {
    const gsi1pk = `${partition}#index`;
    await table.write({ put: item("indexed", { gsi1pk, gsi1sk: "b" }) });
    await table.write({ put: item("indexed-too", { gsi1pk, gsi1sk: "a" }) });
    const found = await table.query({ index: "gsi1", pk: gsi1pk });
    expect(found.map(({ sk }) => sk)).toEqual(["indexed-too", "indexed"]);
  });

  it("Table class updates attributes and returns the new item", async () => {
    const update = { update: item("update"), set: { a: 1, skipped: undefined }, setIfAbsent: { b: 2 }, add: { n: 3 } };
    expect(await table.write(update)).toEqual(item("update", { a: 1, b: 2, n: 3 }));
    const again = { update: item("update"), set: { a: 4 }, setIfAbsent: { b: 5 }, add: { n: -1 }, remove: ["gone"] };
    expect(await table.write(again)).toEqual(item("update", { a: 4, b: 2, n: 2 }));
    expect(await table.write({ update: item("update"), remove: ["b"] })).toEqual(item("update", { a: 4, n: 2 }));
    expect(await table.write({ delete: item("update") })).toEqual(item("update", { a: 4, n: 2 }));
    expect(await table.write({ delete: item("update") })).toBeUndefined();
  });

  it("Table class throws ConditionFailed with the existing item, or the error that the caller chose", async () => {
    await table.write({ put: item("taken", { by: "first", nested: { bytes: Buffer.from([7]) } }) });
    const put = item("taken", { by: "second" });
    const failed = await table.write({ put, condition: absent() }).catch((error) => error);
    expect(failed).toMatchObject({ name: "ConditionFailed", item: { by: "first" } });
    expect(Buffer.from(failed.item.nested.bytes)).toEqual(Buffer.from([7]));
    const condition = absentOrExpired((existing) => new Error(`taken by ${existing?.by}`));
    await expect(table.write({ put, condition })).rejects.toThrow("taken by first");
    const missing = { update: item("missing"), set: { a: 1 }, condition: exists() };
    await expect(table.write(missing)).rejects.toMatchObject({ name: "ConditionFailed", item: undefined });
    await table.write({ put: item("stale", { ttl: 1 }) });
    await table.write({ put: item("stale", { by: "next" }), condition });
    expect(await table.get(item("stale"))).toMatchObject({ by: "next" });
  });

  it("Table class has conditions that hold as their names say, for an existing item and for a missing one", async () => {
    await table.write({ put: item("conditional", { n: 5, text: "b", map: { inner: 1 } }) });
    const holdsFor = async (sk: string, condition: Condition) => {
      try {
        await table.transact([{ check: item(sk), condition }]);
        return true;
      } catch (error) {
        if (error instanceof TransactionFailed) return false;
        throw error;
      }
    };
    const cases: [Condition, holds: boolean, holdsWithoutItem: boolean][] = [
      [exists(), true, false],
      [absent(), false, true],
      [notDeleted(), true, false],
      [hasAttribute("map.inner"), true, false],
      [hasAttribute("missing"), false, false],
      [lacksAttribute("map"), false, true],
      [equals({ n: 5, text: "b" }), true, false],
      [equals({ n: 5, text: "c" }), false, false],
      [differs({ n: 6, missing: 1 }), true, true],
      [lessThan({ n: 5 }), false, false],
      [atMost({ "map.inner": 1 }), true, false],
      [greaterThan({ text: "a" }), true, false],
      [greaterThan({ missing: 0 }), false, false],
      [anyOf([equals({ n: 4 }), equals({ n: 5 })]), true, false],
      [anyOf([equals({ n: 4 }), equals({ n: 6 })]), false, false],
      [allOf([anyOf([absent(), exists()]), anyOf([lessThan({ n: 5 }), absent()])]), false, true],
      [allOf([anyOf([exists(), absent()]), lessThan({ n: 5 })]), false, false],
      [anyOf([allOf([exists(), lessThan({ n: 9 })]), lessThan({ n: 1 })]), true, false],
      [allOf([exists(), allOf([anyOf([absent(), exists()])])]), true, false],
      [unchanged({ n: 5 }, "n"), true, false],
      [unchanged<{ n: number }>(undefined, "n"), false, true],
    ];
    for (const [condition, ...expected] of cases) {
      const actual = [await holdsFor("conditional", condition), await holdsFor("none", condition)];
      expect([condition.where, ...actual]).toEqual([condition.where, ...expected]);
    }
  });

  it("Table class performs all writes of a transaction or none, and reports which writes failed", async () => {
    await table.transact([
      { put: item("t1", { n: 1 }) },
      { update: item("t2"), add: { n: 1 } },
      { check: item("t3"), condition: absent() },
      { delete: item("t4") },
    ]);
    expect((await table.query({ pk: partition, prefix: "t" })).map(({ sk }) => sk)).toContain("t2");
    const writes = [{ put: item("t5") }, { put: item("t1", { n: 2 }), condition: absent() }];
    const failed = await table.transact(writes).catch((error) => error);
    expect(failed).toBeInstanceOf(TransactionFailed);
    expect(failed.failures).toEqual([null, { item: item("t1", { n: 1 }) }]);
    const named = { put: item("t1"), condition: absentOrExpired((existing) => new Error(`n is ${existing?.n}`)) };
    await expect(table.transact([{ put: item("t5") }, named])).rejects.toThrow("n is 1");
    expect(await table.get(item("t5"))).toBeUndefined();
  });

  it("Table class applies a transaction once although its response is lost and it is sent again", async () => {
    const lost = engine.loseResponses(() => table.transact([{ update: item("once"), add: { n: 1 } }]));
    await expect(lost).rejects.toThrow();
    await table.transact([{ update: item("once"), add: { n: 1 } }]);
    expect(await table.get(item("once"), { consistent: true })).toMatchObject({ n: 2 });
  });

  it("Table class deletes any number of items in batches", async () => {
    const sortKeys = Array.from({ length: 60 }, (_, index) => `del#${index}`);
    for (const sk of sortKeys) await table.write({ put: item(sk) });
    await table.deleteMany([...sortKeys, "del#absent"].map((sk) => item(sk)));
    expect(await table.query({ pk: partition, prefix: "del#" })).toEqual([]);
  });
});

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

const succeed =
  (body: unknown): Responder =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
const fail =
  (status: number, type: string, fields: object = {}): Responder =>
  (_, response) =>
    void response
      .writeHead(status, { "content-type": "application/x-amz-json-1.0" })
      .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...fields }));
const loseConnection: Responder = (request) => void request.socket.destroy();
const answerHtml: Responder = (_, response) => void response.writeHead(503).end("<html>");

describe("Table class with prepared HTTP responses", () => {
  let server: Server;
  let responders: Responder[];
  let received: { target: string; body: Record<string, unknown> }[];
  let table: Table;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      received.push({ target: String(request.headers["x-amz-target"]), body: JSON.parse(text) });
      (responders.shift() ?? succeed({}))(request, response);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    Object.assign(process.env, {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
  });

  beforeEach(() => {
    // Backoff with full jitter waits a random fraction of its maximum, which is zero here.
    vi.spyOn(Math, "random").mockReturnValue(0);
    responders = [];
    received = [];
    // Each test has a new client, because clients limit retries across calls.
    table = openTable("t", dynamodbClient());
  });

  afterAll(() => {
    vi.restoreAllMocks();
    server.closeAllConnections();
    server.close();
    delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  });

  it("Table class sends and parses DynamoDB's JSON protocol", async () => {
    responders = [
      succeed({ Item: { pk: { S: "a" }, sk: { S: "b" }, n: { N: "1.5" }, on: { BOOL: true }, no: { NULL: true } } }),
    ];
    const found = await table.get({ pk: "a", sk: "b" }, { consistent: true });
    expect(found).toEqual({ pk: "a", sk: "b", n: 1.5, on: true, no: null });
    expect(received).toEqual([
      {
        target: "DynamoDB_20120810.GetItem",
        body: { TableName: "t", Key: { pk: { S: "a" }, sk: { S: "b" } }, ConsistentRead: true },
      },
    ]);
  });

  it.each([
    ["throttling", fail(400, "ProvisionedThroughputExceededException")],
    ["a request limit", fail(400, "RequestLimitExceeded")],
    ["a conflict with a transaction", fail(400, "TransactionConflictException")],
    ["an internal error", fail(500, "InternalServerError")],
    ["a response that is not JSON", answerHtml],
    ["a lost connection", loseConnection],
  ] as [string, Responder][])("Table class sends a request again up to four times after %s", async (_, responder) => {
    responders = [responder, responder, responder, responder, succeed({ Item: { pk: { S: "a" }, sk: { S: "b" } } })];
    expect(await table.get(key)).toBeUndefined();
    responders = [responder, responder, responder, responder, responder];
    const error = await openTable("t", dynamodbClient())
      .write({ put: key })
      .catch((thrown: unknown) => thrown);
    expect(received.length).toBe(10);
    expect(error).toBeInstanceOf(Error);
    expect(isRetryableError(error)).toBe(true);
  });

  it("Table class makes fewer retries while no call succeeds, and retries again after successes", async () => {
    const fault = fail(500, "InternalServerError");
    const fails = Array.from({ length: 200 }, () => fault);
    responders = [...fails];
    for (let call = 0; call < 40; call++) await table.write({ put: key }).catch(() => {});
    expect(received.length).toBeLessThan(40 * 5);
    expect(received.length).toBeGreaterThan(40);
    responders = [];
    received = [];
    responders = [fault];
    await expect(table.write({ put: key })).rejects.toThrow();
    for (let call = 0; call < 20; call++) await table.write({ put: key });
    responders = [fault, succeed({})];
    await table.write({ put: key });
    expect(received.length).toBe(23);
  });

  it("Table class sends a write again after conflicts with transactions although its quota of retries is used up", async () => {
    responders = Array.from({ length: 140 }, () => fail(500, "InternalServerError"));
    for (let call = 0; call < 40; call++) await table.write({ put: key }).catch(() => {});
    received = [];
    responders = [fail(400, "TransactionConflictException"), succeed({})];
    await table.write({ put: key });
    expect(received.length).toBe(2);
  });

  it.each(["ValidationException", "AccessDeniedException", "ResourceNotFoundException", "UnrecognizedClientException"])(
    "Table class does not send a request again after %s",
    async (name) => {
      responders = [fail(400, name, { message: "because" })];
      const error = (await table.write({ put: key }).catch((thrown: unknown) => thrown)) as Error;
      expect(error).toBeInstanceOf(DynamodbError);
      expect([error.name, error.message, isRetryableError(error), received.length]).toEqual([
        name,
        "because",
        false,
        1,
      ]);
    },
  );

  it("Table class signs with the time of DynamoDB after a request that was refused because the clock is wrong", async () => {
    const serverTime = Date.now() + 3_600_000;
    const check: Responder = (request, response) => {
      response.setHeader("date", new Date(serverTime).toUTCString());
      const signedAt = Date.parse(
        String(request.headers["x-amz-date"]).replace(/(..)(..)T(..)(..)(..)Z/, "-$1-$2T$3:$4:$5Z"),
      );
      const responder =
        Math.abs(serverTime - signedAt) > 300_000 ? fail(400, "InvalidSignatureException") : succeed({});
      responder(request, response);
    };
    responders = Array.from({ length: 10 }, () => check);
    await table.write({ put: key });
    await table.write({ put: key });
    expect(received.length).toBe(3);
  });

  it("Table class sends a transaction again with the same client token, and with a new one after a conflict", async () => {
    const conflict = fail(400, "TransactionCanceledException", {
      CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
    });
    responders = [loseConnection, succeed({})];
    await table.transact([{ delete: key }]);
    const [first, second] = received.map(({ body }) => body.ClientRequestToken);
    expect([typeof first, second]).toEqual(["string", first]);
    responders = [conflict, succeed({})];
    await table.transact([{ delete: key }]);
    expect(new Set(received.map(({ body }) => body.ClientRequestToken)).size).toBe(3);
  });

  it("Table class reports the reasons why DynamoDB canceled a transaction", async () => {
    const Item = { pk: { S: "a" }, sk: { S: "b" }, n: { N: "7" } };
    responders = [
      fail(400, "TransactionCanceledException", {
        CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item }],
      }),
    ];
    const failed = await table.transact([{ delete: key }, { put: key }]).catch((error) => error);
    expect(failed).toBeInstanceOf(TransactionFailed);
    expect(failed.failures).toEqual([null, { item: { pk: "a", sk: "b", n: 7 } }]);
  });

  it("Table class sends unprocessed keys and items again", async () => {
    const keys = [
      { pk: "a", sk: "1" },
      { pk: "a", sk: "2" },
    ];
    const [one, two] = keys.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
    responders = [
      succeed({ Responses: { t: [one] }, UnprocessedKeys: { t: { Keys: [two] } } }),
      succeed({ Responses: { t: [two] } }),
    ];
    expect(await table.getMany(keys)).toEqual(keys);
    responders = [succeed({ UnprocessedItems: { t: [{ DeleteRequest: { Key: two } }] } }), succeed({})];
    await table.deleteMany(keys);
    expect(received.at(-1)?.body).toEqual({ RequestItems: { t: [{ DeleteRequest: { Key: two } }] } });
  });
});
