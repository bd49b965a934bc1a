import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiResponse, Client, newIdentity, readResponse } from "#test/support/client.ts";
import { sized } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

describe("API while the table fails", () => {
  let table: TableProxy;
  let service: Switchboard;

  beforeAll(async () => {
    table = await startTableProxy();
    service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint, LOCAL_LOG: "1" } });
  });

  afterAll(async () => {
    await service?.stop();
    await table?.stop();
  });

  const rounds = sized({ usual: 4, full: 60, soak: 1_000 });

  it(`API creates one conversation for 50 requests with one Idempotency-Key while the table fails, in each of ${rounds} rounds`, async () => {
    for (let round = 0; round < rounds; round++) {
      const client = new Client(newIdentity(), service.baseUrl);
      await client.get("/v1/me");
      table.faultRates = { lostRequestRate: 0.15, lostResponseRate: 0.15, throttleRate: 0.1 };
      const headers = { "idempotency-key": randomUUID() };
      const post = () => client.post("/v1/conversations", { title: "Once" }, headers);
      const responses = await Promise.all(Array.from({ length: 50 }, post));
      table.faultRates = {};
      const last = await post();
      const successes = responses.filter(({ status }) => status === 201);
      expect(responses.every(({ status }) => status === 201 || status >= 500)).toBe(true);
      expect(new Set([...successes, last].map(({ text }) => text)).size).toBe(1);
      expect((await client.get("/v1/conversations")).body.conversations.length).toBe(1);
    }
  });

  it("API counts each message once although responses of the table are lost", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const conversation_id = await client.createConversation();
    const ask = () => client.chat({ conversation_id, content: "Hello", tier: "QUICK" }).catch(() => []);
    for (const lostResponseRate of [...Array(8).fill(0.4), 1, 1]) {
      table.faultRates = { lostResponseRate, operations: /^UpdateItem$/ };
      await ask();
    }
    table.faultRates = {};
    const { body } = await client.get(`/v1/conversations/${conversation_id}/messages`);
    expect((await client.get(`/v1/conversations/${conversation_id}`)).body.message_count).toBe(body.messages.length);
  });

  it("API completes a chat message when the client repeats a request that failed because the table throttled it", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const conversation_id = await client.createConversation();
    const headers = { "idempotency-key": randomUUID(), accept: "application/json" };
    const ask = () => client.post("/v1/runtime/chat", { conversation_id, content: "Hello", tier: "QUICK" }, headers);
    table.faultRates = { throttleRate: 1, operations: /^UpdateItem$/ };
    const rejectedResponse = await ask();
    table.faultRates = {};
    expect(rejectedResponse.status).toBeGreaterThanOrEqual(500);
    expect((await ask()).body).toMatchObject({ role: "assistant", status: "complete" });
    const { body } = await client.get(`/v1/conversations/${conversation_id}/messages`);
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
  });

  it("API answers 503 with Retry-After while the table throttles", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    await client.get("/v1/me");
    table.faultRates = { throttleRate: 1 };
    const { status, headers, body } = await client.post("/v1/notes", { title: "x" });
    table.faultRates = {};
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
  });

  it("API accepts requests and records a metric when the rate limit cannot be read from the table", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    await client.get("/v1/me");
    table.faultRates = { throttleRate: 1 };
    const response = await client.get("/v1/me");
    table.faultRates = {};
    expect([response.status, response.headers.get("x-ratelimit-limit")]).toEqual([200, "0"]);
    const findMetricLine = () => service.output.find((line) => line.includes('"rate_limiter_failed"'));
    await expect.poll(findMetricLine).toBeDefined();
    const { _aws, ...values } = JSON.parse(/\{.*\}$/.exec(findMetricLine() ?? "")?.[0] ?? "");
    expect(values).toEqual({
      stage: "local",
      rate_limiter_failed: 1,
      request_id: expect.any(String),
      traceparent: expect.any(String),
    });
    expect(_aws.CloudWatchMetrics).toEqual([
      {
        Namespace: "Switchboard",
        Dimensions: [["stage"]],
        Metrics: [{ Name: "rate_limiter_failed", Unit: "Count" }],
      },
    ]);
  });
});

describe("API key", () => {
  let service: Switchboard;
  let admin: Client;

  beforeAll(async () => {
    service = await startSwitchboard({ env: { LOG_LEVEL: "debug", LOCAL_LOG: "1", RATE_LIMIT_API_KEY: "1000000" } });
    admin = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(() => service?.stop());

  const listModels = async (key: string): Promise<ApiResponse> =>
    readResponse(await fetch(`${service.baseUrl}/openai/v1/models`, { headers: { authorization: `Bearer ${key}` } }));

  const create = async (path: string, body: unknown) =>
    (await admin.post(path, body, { "idempotency-key": randomUUID() })).body;

  /** Returns the key with one of six kinds of damage. */
  function damageKey(key: string, n: number): string {
    const index = 4 + (n % (key.length - 4));
    const hex = "0123456789abcdef";
    switch (n % 6) {
      case 0:
        return key.slice(0, index) + hex[(hex.indexOf(key[index] ?? "") + 1 + (n % 14)) % 16] + key.slice(index + 1);
      case 1:
        return key.slice(0, -1 - (n % 30));
      case 2:
        return `${key}${hex[n % 16]}`;
      case 3:
        return key.toUpperCase();
      case 4:
        return `${key.slice(0, 13)}${randomBytes(16).toString("hex")}`;
      default:
        return key.slice(0, index) + encodeURIComponent("ß€") + key.slice(index + 1);
    }
  }

  it("API key is rejected with 401 when it was altered", async () => {
    const { key } = await create("/v1/tenant/api-keys", { description: "", scopes: ["models.read"] });
    expect((await listModels(key)).status).toBe(200);
    const count = sized({ usual: 150, full: 600, soak: 10_000 });
    for (let start = 0; start < count; start += 50) {
      const keys = Array.from({ length: 50 }, (_, offset) => damageKey(key, start + offset)).filter(
        (text) => text !== key,
      );
      for (const { status, body } of await Promise.all(keys.map(listModels))) {
        expect([status, body.error.code]).toEqual([401, "invalid_api_key"]);
      }
    }
    expect((await listModels(key)).status).toBe(200);
  });

  it("API key stops working when it is revoked or expires", async () => {
    const { id, key } = await create("/v1/tenant/api-keys", { description: "", scopes: ["models.read"] });
    expect((await listModels(key)).status).toBe(200);
    await admin.delete(`/v1/tenant/api-keys/${id}`);
    expect((await listModels(key)).status).toBe(401);
    const expiresAtMs = Date.now() + 5_000;
    const expires_at = new Date(expiresAtMs).toISOString();
    const brief = await create("/v1/tenant/api-keys", { description: "", scopes: ["models.read"], expires_at });
    expect((await listModels(brief.key)).status).toBe(200);
    await sleep(Math.max(0, expiresAtMs - Date.now()) + 100);
    expect((await listModels(brief.key)).status).toBe(401);
  });

  it("API key appears in clear text neither in the table nor in logs nor in later responses", async () => {
    const conversation_id = await admin.createConversation();
    const apiKey = await create("/v1/tenant/api-keys", { description: "", scopes: ["models.read"] });
    const embedKey = await create("/v1/tenant/embed-keys", { name: "x", allowed_origins: ["https://example.com"] });
    const shareLink = await create(`/v1/chat/${conversation_id}/share-link`, { expires_in: "1h" });
    const secrets = [apiKey.key, embedKey.key, shareLink.token];
    expect(secrets.every((secret) => typeof secret === "string" && secret.length > 20)).toBe(true);
    await listModels(apiKey.key);
    const listResponses = await Promise.all(
      ["/v1/tenant/api-keys", "/v1/tenant/embed-keys", `/v1/chat/${conversation_id}/share-link`].map((path) =>
        admin.get(path),
      ),
    );
    const files = (await readdir(service.stateDir, { recursive: true, withFileTypes: true })).filter((file) =>
      file.isFile(),
    );
    const fileContents = await Promise.all(
      files
        .filter(({ name }) => name !== "secrets.json")
        .map((file) => readFile(join(file.parentPath, file.name), "latin1")),
    );
    expect(fileContents.join("").includes(createHash("sha256").update(apiKey.key).digest("base64url"))).toBe(true);
    const observableText = [...fileContents, ...listResponses.map(({ text }) => text), service.output.join("\n")].join(
      "\n",
    );
    for (const secret of secrets) expect(observableText.includes(secret)).toBe(false);
    // The random part of a key alone must not appear either.
    expect(observableText.includes(apiKey.key.slice(13))).toBe(false);
  });
});
