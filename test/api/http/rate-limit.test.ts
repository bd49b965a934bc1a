import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

let service: Switchboard;

beforeAll(async () => {
  service = await startSwitchboard({ env: { RATE_LIMIT_TENANT: "20", RATE_LIMIT_OPEN: "5" } });
});

afterAll(() => service?.stop());

const client = () => new Client(newIdentity(), service.baseUrl);
const rate = (answer: ApiResponse, name: string) => Number(answer.headers.get(`x-ratelimit-${name}`));

/** Waits for the next minute when this one has less than the given seconds left: counters are per minute. */
async function minuteWith(seconds: number): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < seconds * 1_000) await sleep(left);
}

describe("a tenant's rate limit", () => {
  it("counts down, then answers 429 until the reset, and leaves neighbours alone", { timeout: 60_000 }, async () => {
    await minuteWith(10);
    const [busy, neighbour] = [client(), client()];
    const answers: ApiResponse[] = [];
    for (let n = 0; n < 25; n++) answers.push(await busy.get("/v1/me"));
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), ...Array(5).fill(429)]);
    expect(answers.slice(0, 20).map((answer) => rate(answer, "remaining"))).toEqual(
      Array.from({ length: 20 }, (_, index) => 19 - index),
    );
    const refused = answers.at(-1) as ApiResponse;
    expect(refused.body).toMatchObject({ code: "rate_limited", status: 429 });
    expect(rate(refused, "remaining")).toBe(0);
    expect(rate(refused, "reset") % 60).toBe(0);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await neighbour.get("/v1/me")).status).toBe(200);
  });

  it("counts rubbish and chats as well", { timeout: 60_000 }, async () => {
    await minuteWith(10);
    const busy = client();
    const id = await busy.createConversation();
    const bad = await busy.post("/v1/conversations", { nonsense: true });
    expect([bad.status, rate(bad, "remaining")]).toEqual([400, 18]);
    const response = await busy.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conversation_id: id, content: "Hi" }),
    });
    expect(response.headers.get("x-ratelimit-remaining")).toBe("17");
    await response.text();
  });

  it("admits exactly the limit under concurrency", { timeout: 60_000 }, async () => {
    await minuteWith(10);
    const busy = client();
    const answers = await Promise.all(Array.from({ length: 40 }, () => busy.get("/v1/me")));
    expect(answers.filter(({ status }) => status === 200).length).toBe(20);
    expect(answers.filter(({ status }) => status === 429).length).toBe(20);
  });

  it("holds for open endpoints by address", { timeout: 60_000 }, async () => {
    await minuteWith(10);
    const anybody = client();
    const statuses: number[] = [];
    // Each request says that it comes from somewhere else.
    const elsewhere = (n: number) => ({
      "x-viewer-address": `198.51.100.${n}`,
      "x-forwarded-for": `198.51.100.${n}`,
      "cloudfront-viewer-address": `198.51.100.${n}:1`,
      "x-origin-secret": String(n),
    });
    for (let n = 0; n < 7; n++) {
      statuses.push((await anybody.get("/v1/config/feature-flags", elsewhere(n))).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect((await anybody.get("/health")).status).toBe(200);
  });
});

describe("twenty workers at twice the limit", () => {
  let busyService: Switchboard;
  const limit = 600;

  beforeAll(async () => {
    busyService = await startSwitchboard({ env: { RATE_LIMIT_TENANT: String(limit) } });
  });

  afterAll(() => busyService?.stop());

  it("are admitted as often as the limit says, and a neighbour loses nothing", { timeout: 180_000 }, async () => {
    const busy = new Client(newIdentity(), busyService.baseUrl);
    const neighbour = new Client(newIdentity(), busyService.baseUrl);
    await Promise.all([busy.get("/v1/me"), neighbour.get("/v1/me")]);
    await minuteWith(20);
    const answers: ApiResponse[] = [];
    const work = async () => {
      for (let n = 0; n < (2 * limit) / 20; n++) answers.push(await busy.get("/v1/me"));
    };
    const beside: number[] = [];
    const next = async () => {
      for (let n = 0; n < 50; n++) beside.push((await neighbour.get("/v1/me")).status);
    };
    await Promise.all([...Array.from({ length: 20 }, work), next()]);
    // The minute may turn in the middle, which makes the allowance whole again.
    for (const asked of Map.groupBy(answers, (answer) => rate(answer, "reset")).values()) {
      const admitted = asked.filter(({ status }) => status === 200).length;
      expect(Math.abs(admitted - Math.min(asked.length, limit))).toBeLessThanOrEqual(limit * 0.01);
    }
    expect(beside.every((status) => status === 200)).toBe(true);
  });
});
