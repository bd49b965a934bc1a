import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { Operator } from "#test/support/tenancy/deployment-key.ts";

const newClient = () => new Client(newIdentity());

async function newConversation(client: Client): Promise<string> {
  return (await client.post("/v1/conversations", { title: "Budgets" })).body.id;
}

const ask = (client: Client, conversation_id: string) =>
  client.post(
    "/v1/runtime/chat",
    { conversation_id, content: "Hello there", tier: "QUICK" },
    { accept: "application/json" },
  );

/** Reads a budget until the change feed has settled the answers of a test. */
async function settledBudget(client: Client, id: string, used: number) {
  for (let attempt = 0; ; attempt++) {
    const { body } = await client.get(`/v1/budgets/${id}`);
    if (body.current.used >= used || attempt === 100) return body;
    await sleep(100);
  }
}

it("budget of a tenant rejects a question over the limit with the used amount and the reset time", async () => {
  const client = newClient();
  const created = await client.post("/v1/budgets", {
    ...{ name: "Two answers", unit: "runs", limit: 2, window: "day", time_zone: "Europe/Berlin" },
  });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body;
  const conversation = await newConversation(client);
  for (let n = 0; n < 2; n++) expect((await ask(client, conversation)).status).toBe(200);
  const refused = await ask(client, conversation);
  expect([refused.status, refused.body.code]).toEqual([429, "quota_exceeded"]);
  const scope = { type: "tenant", id: null };
  expect(refused.body.quota).toMatchObject({ budget_id: id, scope, unit: "runs", limit: 2, used: 2, window: "day" });
  expect(Date.parse(refused.body.quota.resets_at)).toBeGreaterThan(Date.now());
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  // The question of a refused answer is not stored.
  expect((await client.get(`/v1/conversations/${conversation}/messages`)).body.messages).toHaveLength(4);
  const { current } = await settledBudget(client, id, 2);
  expect(current).toMatchObject({ used: 2, reserved: 0, remaining: 0, resets_at: refused.body.quota.resets_at });
  await client.patch(`/v1/budgets/${id}`, { limit: 5 });
  expect((await client.get("/v1/budgets")).body.budgets[0]).toMatchObject({ limit: 5, current: { remaining: 3 } });
  expect((await client.delete(`/v1/budgets/${id}`)).status).toBe(204);
  expect((await client.get(`/v1/budgets/${id}`)).status).toBe(404);
});

it("budget of a tenant with the scope user limits each user separately and is listed in the user's own limits", async () => {
  const client = newClient();
  const { body } = await client.post("/v1/budgets", {
    ...{ name: "Each", scope: { type: "user" }, unit: "tokens", limit: 1, window: "total" },
  });
  const other = new Client({ ...client.identity, user: "other" });
  const [mine, theirs] = [await newConversation(client), await newConversation(other)];
  const first = await ask(client, mine);
  expect(first.status, first.text).toBe(200);
  expect((await ask(client, mine)).body.quota).toMatchObject({ scope: { type: "user", id: null }, resets_at: null });
  expect((await ask(other, theirs)).status).toBe(200);
  expect((await client.get(`/v1/budgets/${body.id}`)).body.current).toBeNull();
  const { budgets } = (await client.get("/v1/me/limits")).body;
  expect(budgets).toMatchObject([{ name: "Each", scope: "user", unit: "tokens", limit: 1, current: { remaining: 0 } }]);
  const usage = (await client.get("/v1/me/usage")).body;
  expect(usage.usage.every((row: object) => !("user_id" in row))).toBe(true);
});

it("budget that the operator sets for a tenant applies to all users and cannot be changed by them", async () => {
  const [operator, client] = [new Operator(), newClient()];
  const budgets = [{ unit: "requests", limit: 0, window: "month", time_zone: "UTC" }];
  const created = await operator.post("/v1/admin/tenants", { id: client.identity.tenant, budgets });
  expect(created.body.budgets).toEqual(budgets);
  const refused = await ask(client, await newConversation(client));
  expect([refused.status, refused.body.quota.budget_id]).toEqual([429, "operator-requests-month"]);
  expect((await client.get("/v1/budgets")).body.budgets).toMatchObject([{ source: "operator", limit: 0 }]);
  expect((await client.delete("/v1/budgets/operator-requests-month")).status).toBe(404);
});

it("budget of a tenant applies to the OpenAI-compatible API and the website widget, and emits an event at 80 and 100 percent", async () => {
  const client = newClient();
  const endpoint = await client.post("/v1/event-endpoints", {
    ...{ url: "http://127.0.0.1:9/events", types: ["budget.reached"] },
  });
  const persona = (await client.post("/v1/personas", { name: "Guide", visibility: "public" })).body;
  const slug = `guide-${randomUUID().slice(0, 8)}`;
  await client.post(`/v1/personas/${persona.id}/publish`, { slug });
  const scope = { type: "persona", id: persona.id };
  const { id } = (await client.post("/v1/budgets", { name: "P", scope, unit: "requests", limit: 1, window: "week" }))
    .body;
  const headers = { "idempotency-key": randomUUID() };
  const keyBody = { description: "k", scopes: ["chat.completions"] };
  const { key } = (await client.post("/v1/tenant/api-keys", keyBody, headers)).body;
  const complete = () =>
    client.fetch("/openai/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: slug, messages: [{ role: "user", content: "Hello" }] }),
    });
  expect((await complete()).status).toBe(200);
  const refused = await complete();
  expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([429, "false"]);
  const { error } = (await refused.json()) as { error: object };
  expect(error).toMatchObject({ type: "insufficient_quota", code: "insufficient_quota" });
  const embedKey = (
    await client.post("/v1/tenant/embed-keys", {
      ...{ name: "Site", persona_id: persona.id, allowed_origins: ["https://www.example.com"] },
    })
  ).body;
  const site = { "x-embed-key": embedKey.key, origin: "https://www.example.com", "content-type": "application/json" };
  const post = (path: string, body: object) =>
    client.fetch(path, {
      method: "POST",
      headers: { ...site, "idempotency-key": randomUUID() },
      body: JSON.stringify(body),
    });
  const session = (await (await post("/v1/embed/sessions", {})).json()) as { id: string };
  const answer = await post(`/v1/embed/sessions/${session.id}/messages`, { content: "Hello" });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([429, "quota_exceeded"]);
  const { current } = await settledBudget(client, id, 1);
  expect(current).toMatchObject({ used: 1, reserved: 0 });
  const deliveries = async () =>
    (await client.get(`/v1/event-endpoints/${endpoint.body.id}/deliveries`)).body.deliveries as { payload: string }[];
  await vi.waitFor(async () => expect(await deliveries()).toHaveLength(2), { timeout: 180_000, interval: 200 });
  const percents = (await deliveries()).map(({ payload }) => JSON.parse(payload).data.percent);
  expect(percents.toSorted()).toEqual([100, 80]);
});

it("budget of a tenant is rejected with 400 for an unknown time zone, a fractional token limit or a tenant scope with an id", async () => {
  const client = newClient();
  const budget = { name: "B", unit: "tokens", limit: 5, window: "week" };
  for (const field of [{ time_zone: "Mars/Base" }, { limit: 0.5 }, { scope: { type: "tenant", id: "x" } }]) {
    expect((await client.post("/v1/budgets", { ...budget, ...field })).status, JSON.stringify(field)).toBe(400);
  }
});

it("tenant limit of concurrent answers rejects another question until an answer has ended", async () => {
  const [operator, client] = [new Operator(), newClient()];
  await operator.post("/v1/admin/tenants", { id: client.identity.tenant, limits: { concurrent_runs: 1 } });
  const conversations = await Promise.all(Array.from({ length: 4 }, () => newConversation(client)));
  const answers = await Promise.all(conversations.map((id) => ask(client, id)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect([refused?.body.code, Number(refused?.headers.get("retry-after")) <= 3]).toEqual(["rate_limited", true]);
  const askAgain = async () => expect((await ask(client, conversations[0] as string)).status).toBe(200);
  await vi.waitFor(askAgain, { timeout: 180_000, interval: 200 });
  expect((await client.get("/v1/me/limits")).body.budgets).toEqual([]);
});

it("tenant limit of tokens per minute rejects questions until the next minute and is reported in headers of the OpenAI-compatible API", async () => {
  const [operator, client] = [new Operator(), newClient()];
  await operator.post("/v1/admin/tenants", { id: client.identity.tenant, limits: { tokens_per_minute: 50 } });
  const persona = (await client.post("/v1/personas", { name: "Guide", visibility: "public" })).body;
  const slug = `guide-${randomUUID().slice(0, 8)}`;
  await client.post(`/v1/personas/${persona.id}/publish`, { slug });
  const headers = { "idempotency-key": randomUUID() };
  const keyBody = { description: "k", scopes: ["chat.completions"] };
  const { key } = (await client.post("/v1/tenant/api-keys", keyBody, headers)).body;
  const complete = () =>
    client.fetch("/openai/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: slug, messages: [{ role: "user", content: "Hello" }] }),
    });
  const admitted = await complete();
  const names = ["limit", "remaining"].map((name) => admitted.headers.get(`x-ratelimit-${name}-tokens`));
  expect([admitted.status, ...names]).toEqual([200, "50", "0"]);
  expect(admitted.headers.get("x-ratelimit-reset-tokens")).toMatch(/^\d+s$/);
  // A new minute can begin between two requests, and not between each of three.
  const refused = [await complete(), await complete()].find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
  expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
});
