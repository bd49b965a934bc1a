import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity, readFrames } from "#test/support/client.ts";
import { chunk, startEventStream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

interface Amounts {
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

let upstream: Upstream;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService({
    script: streamText(["Hello"], { usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 } }),
  });
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

/**
 * Polls the usage report until it counts the given number of requests. A stream processor updates usage
 * asynchronously.
 */
async function waitForReport(client: Client, query: string, requests: number) {
  for (let attempt = 0; ; attempt++) {
    const { body } = await client.get(`/v1/usage${query}`);
    if (body.totals.requests >= requests || attempt > 100) return body;
    await sleep(100);
  }
}

async function listMessages(user: Client, id: string) {
  return (await user.get(`/v1/conversations/${id}/messages`)).body.messages;
}

const sum = (usages: readonly Amounts[], name: keyof Amounts) =>
  usages.reduce((total, usage) => total + Math.round(usage[name] * 1e6), 0) / 1e6;

it("usage statistics count each answer once when it is retried, resumed, regenerated, stopped or requested by API key", async () => {
  const colleague = await createColleague(client);
  const { body: persona } = await client.post("/v1/personas", { name: "Clerk", visibility: "org" });
  await client.post(`/v1/personas/${persona.id}/publish`, { slug: "clerk" });
  const { body: key } = await client.post(
    "/v1/tenant/api-keys",
    { description: "k", scopes: ["chat.completions"] },
    { "idempotency-key": "k" },
  );
  const { body: bound } = await colleague.post("/v1/conversations", { title: "Bound", persona_id: persona.id });
  const own = await client.createConversation();

  const frames = await client.chat({ conversation_id: own, content: "One", tier: "QUICK" }, { "idempotency-key": "a" });
  await client.chat({ conversation_id: own, content: "One", tier: "QUICK" }, { "idempotency-key": "a" });
  const { message_id } = frames[0]?.data ?? {};
  await Array.fromAsync(readFrames(await client.fetch(`/v1/runtime/chat/${message_id}/stream`)));
  await client.chat({ conversation_id: own, regenerate_message_id: message_id, tier: "QUICK" });
  await colleague.chat({ conversation_id: bound.id, content: "Two", tier: "QUICK" });

  upstream.script = async (response) => {
    startEventStream(response);
    response.write(chunk({ role: "assistant", content: "Half an answer" }));
    await sleep(20_000);
  };
  const stoppedChat = client.chat({ conversation_id: own, content: "Stop", tier: "QUICK" });
  let running: string | undefined;
  while (!running) {
    await sleep(100);
    running = (await listMessages(client, own)).find(
      ({ status }: { status: string }) => status === "streaming",
    )?.message_id;
  }
  await client.post(`/v1/runtime/chat/${running}/stop`, {});
  await stoppedChat;

  upstream.script = streamText(["Hi"], { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } });
  const completion = await fetch(`${service.baseUrl}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "clerk", messages: [{ role: "user", content: "Hi" }] }),
  });
  expect(completion.status).toBe(200);

  const messages = [...(await listMessages(client, own)), ...(await listMessages(colleague, bound.id))];
  const usages = messages.flatMap(({ usage }: { usage: Amounts | null }) => usage ?? []);
  expect(usages).toHaveLength(4);
  const expectedUsages = [...usages, { requests: 1, input_tokens: 7, output_tokens: 3, cost_usd: 0.000048 }];
  const body = await waitForReport(client, "?group_by=user,persona,key", 5);
  await sleep(500);
  expect((await waitForReport(client, "", 5)).totals).toEqual({
    requests: 5,
    input_tokens: sum(expectedUsages, "input_tokens"),
    output_tokens: sum(expectedUsages, "output_tokens"),
    total_tokens: sum(expectedUsages, "input_tokens") + sum(expectedUsages, "output_tokens"),
    cost_usd: sum(expectedUsages, "cost_usd"),
    cached_tokens: 0,
  });
  expect(body.group_by).toEqual(["user", "key", "persona"]);
  const rows = body.usage.map((row: Record<string, unknown>) => [
    row.user_id,
    row.key_id,
    row.persona_id,
    row.requests,
  ]);
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(
    expect.arrayContaining([
      [client.identity.user, null, null, 3],
      [colleague.identity.user, null, persona.id, 1],
      [null, key.id, persona.id, 1],
    ]),
  );

  const { body: full } = await client.get("/v1/usage?group_by=user,key&cost=full");
  const awsCosts = full.usage.map(({ aws_cost_usd }: { aws_cost_usd: number }) => aws_cost_usd);
  // Four answers of chats and a completion, each with a fixed part.
  expect(full.totals.aws_cost_usd).toBeGreaterThan(4 * 0.0000163 + 0.0000141);
  expect(awsCosts.reduce((total: number, cost: number) => total + cost)).toBeCloseTo(full.totals.aws_cost_usd, 7);
  expect((await client.get("/v1/usage?cost=full", { accept: "text/csv" })).text).toMatch(/,aws_cost_usd\r\n/);

  const csv = await client.get("/v1/usage?group_by=day,model", { accept: "text/csv" });
  expect(csv.headers.get("content-type")).toContain("text/csv");
  const [head, row] = csv.text.trim().split("\r\n");
  expect(head).toBe("day,model,requests,input_tokens,output_tokens,total_tokens,cost_usd,cached_tokens");
  expect(row).toMatch(/^\d{4}-\d{2}-\d{2},gpt-4o,5,/);
});

it("usage statistics are readable with the permission usage.read, for the caller's tenant only", async () => {
  const stranger = new Client(newIdentity(), service.baseUrl);
  expect((await stranger.get("/v1/usage")).body.totals.requests).toBe(0);
  expect((await (await createColleague(client)).get("/v1/usage")).status).toBe(403);
  for (const query of [
    "?from=yesterday",
    "?to=2026-02-31x",
    "?group_by=mood",
    "?group_by=day,",
    "?from=2026-13-01",
    "?to=2026-02-30",
    "?from=2026-02-02&to=2026-02-01",
    "?from=2999-01-01",
  ]) {
    expect((await client.get(`/v1/usage${query}`)).status, query).toBe(400);
  }
  const { body } = await client.get("/v1/usage?from=2020-01-01&to=2020-01-31");
  expect(body).toMatchObject({
    from: "2020-01-01",
    to: "2020-01-31",
    usage: [],
    totals: { requests: 0, cost_usd: 0 },
  });
  expect((await client.get("/v1/usage?to=2020-01-30")).body).toMatchObject({ from: "2020-01-01", usage: [] });
  const csv = await client.get("/v1/usage?to=2020-01-30&group_by=user,day", { accept: "text/csv" });
  expect(csv.text).toBe("day,user_id,requests,input_tokens,output_tokens,total_tokens,cost_usd,cached_tokens\r\n");
});
