import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

let service: Switchboard;

beforeAll(async () => {
  service = await startSwitchboard({ env: { RATE_LIMIT_TENANT: "20", RATE_LIMIT_OPEN: "5" } });
});

afterAll(() => service?.stop());

const newClient = () => new Client(newIdentity(), service.baseUrl);
const getRateHeader = (response: ApiResponse, name: string) => Number(response.headers.get(`x-ratelimit-${name}`));

/** Waits for the next minute unless this one has at least the given seconds left, because counters are per minute. */
async function waitForMinuteWith(seconds: number): Promise<void> {
  const remainingMs = 60_000 - (Date.now() % 60_000);
  if (remainingMs < seconds * 1_000) await sleep(remainingMs);
}

it("request rate limit of a tenant counts down in the response headers and leads to 429 until the minute ends, for this tenant only", async () => {
  await waitForMinuteWith(10);
  const [busy, otherTenant] = [newClient(), newClient()];
  const responses: ApiResponse[] = [];
  for (let n = 0; n < 25; n++) responses.push(await busy.get("/v1/me"));
  expect(responses.map(({ status }) => status)).toEqual([...Array(20).fill(200), ...Array(5).fill(429)]);
  expect(responses.slice(0, 20).map((response) => getRateHeader(response, "remaining"))).toEqual(
    Array.from({ length: 20 }, (_, index) => 19 - index),
  );
  const rejectedResponse = responses.at(-1) as ApiResponse;
  expect(rejectedResponse.body).toMatchObject({ code: "rate_limited", status: 429 });
  expect(getRateHeader(rejectedResponse, "remaining")).toBe(0);
  expect(getRateHeader(rejectedResponse, "reset") % 60).toBe(0);
  expect(Number(rejectedResponse.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await otherTenant.get("/v1/me")).status).toBe(200);
});

it("request rate limit of a tenant counts malformed requests and chat requests like other requests", async () => {
  await waitForMinuteWith(10);
  const busy = newClient();
  const id = await busy.createConversation();
  const invalidResponse = await busy.post("/v1/conversations", { nonsense: true });
  expect([invalidResponse.status, getRateHeader(invalidResponse, "remaining")]).toEqual([400, 18]);
  const response = await busy.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id: id, content: "Hi" }),
  });
  expect(response.headers.get("x-ratelimit-remaining")).toBe("17");
  await response.text();
});

it("request rate limit of a tenant admits exactly 20 of 40 concurrent requests when the limit is 20", async () => {
  await waitForMinuteWith(10);
  const busy = newClient();
  const responses = await Promise.all(Array.from({ length: 40 }, () => busy.get("/v1/me")));
  expect(responses.filter(({ status }) => status === 200).length).toBe(20);
  expect(responses.filter(({ status }) => status === 429).length).toBe(20);
});

it("request rate limit of a tenant applies to the client's real address on endpoints without a credential", async () => {
  await waitForMinuteWith(10);
  const anonymous = newClient();
  const statuses: number[] = [];
  // Each request claims another address.
  const spoofedHeaders = (n: number) => ({
    "x-viewer-address": `198.51.100.${n}`,
    "x-forwarded-for": `198.51.100.${n}`,
    "cloudfront-viewer-address": `198.51.100.${n}:1`,
    "x-origin-secret": String(n),
  });
  for (let n = 0; n < 7; n++) {
    statuses.push((await anonymous.get("/v1/config/feature-flags", spoofedHeaders(n))).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  expect((await anonymous.get("/health")).status).toBe(200);
});

const randomKey = (prefix: string) => `${prefix}_abcd1234_${randomBytes(16).toString("hex")}`;

describe("rate limit for invalid credentials", () => {
  let limitedService: Switchboard;

  beforeAll(async () => {
    limitedService = await startSwitchboard({ env: { RATE_LIMIT_FAILED: "20" } });
  });

  afterAll(() => limitedService?.stop());

  it.each([
    ["/openai/v1/models", "GET", () => ({ authorization: `Bearer ${randomKey("swk")}` })],
    ["/openai/v1/chat/completions", "POST", () => ({ authorization: `Bearer ${randomKey("swk")}` })],
    ["/v1/embed/sessions", "POST", () => ({ "x-embed-key": randomKey("swe"), origin: "https://shop.example" })],
  ] as const)(
    "rate limit for invalid credentials leads to 429 after 20 failed attempts on %s",
    async (path, method, headersOf) => {
      await waitForMinuteWith(15);
      const client = new Client(newIdentity(), limitedService.baseUrl);
      const responses: Response[] = [];
      for (let n = 0; n < 30; n++) {
        const headers = { ...headersOf(), "content-type": "application/json" };
        responses.push(await client.fetch(path, { method, headers, ...(method === "POST" && { body: "{}" }) }));
        await responses.at(-1)?.text();
      }
      expect(responses.map(({ status }) => status)).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
      expect(Number(responses.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    },
  );
});

describe("valid credentials behind the same address as invalid ones", () => {
  let limitedService: Switchboard;

  beforeAll(async () => {
    limitedService = await startSwitchboard({ env: { RATE_LIMIT_FAILED: "20" } });
  });

  afterAll(() => limitedService?.stop());

  it("valid credentials behind the same address as invalid ones are accepted at their first use, keys and webhooks alike", async () => {
    const client = new Client(newIdentity(), limitedService.baseUrl);
    const fields = { description: "New", scopes: ["models.read"] };
    const { body: apiKey } = await client.post("/v1/tenant/api-keys", fields, { "idempotency-key": randomUUID() });
    const { post, registration } = await createChannel({}, client);
    const raw = JSON.stringify({ title: "Disk full" });
    const sendAlert = async (secret: string) =>
      (await post(raw, { "content-type": "application/json", "x-webhook-signature": hmacHex(secret, raw) })).status;
    const sendKey = async (key: string) =>
      (await client.fetch("/openai/v1/models", { headers: { authorization: `Bearer ${key}` } })).status;
    await waitForMinuteWith(20);
    const statuses: number[] = [];
    for (let n = 0; n < 24; n++) statuses.push(await sendKey(randomKey("swk")));
    for (let n = 0; n < 24; n++) statuses.push(await sendAlert("0".repeat(64)));
    expect([...statuses.slice(20, 24), ...statuses.slice(44)]).toEqual(Array(8).fill(429));
    expect(await sendKey(apiKey.key)).toBe(200);
    expect(await sendAlert(registration.secret ?? "")).toBe(200);
  });
});

describe("tenant rate limit while one tenant sends twice the allowed requests", () => {
  let busyService: Switchboard;
  const limit = 600;

  beforeAll(async () => {
    busyService = await startSwitchboard({ env: { RATE_LIMIT_TENANT: String(limit) } });
  });

  afterAll(() => busyService?.stop());

  it("tenant rate limit admits requests up to the limit and leaves other tenants unaffected when one tenant sends twice as many", async () => {
    const busy = new Client(newIdentity(), busyService.baseUrl);
    const otherTenant = new Client(newIdentity(), busyService.baseUrl);
    await Promise.all([busy.get("/v1/me"), otherTenant.get("/v1/me")]);
    await waitForMinuteWith(20);
    const responses: ApiResponse[] = [];
    const sendAsBusy = async () => {
      for (let n = 0; n < (2 * limit) / 20; n++) responses.push(await busy.get("/v1/me"));
    };
    const otherStatuses: number[] = [];
    const sendAsOther = async () => {
      for (let n = 0; n < 50; n++) otherStatuses.push((await otherTenant.get("/v1/me")).status);
    };
    await Promise.all([...Array.from({ length: 20 }, sendAsBusy), sendAsOther()]);
    // The limit resets if the minute changes during the test.
    for (const window of Map.groupBy(responses, (response) => getRateHeader(response, "reset")).values()) {
      const admitted = window.filter(({ status }) => status === 200).length;
      expect(Math.abs(admitted - Math.min(window.length, limit))).toBeLessThanOrEqual(limit * 0.01);
    }
    expect(otherStatuses.every((status) => status === 200)).toBe(true);
  });
});
