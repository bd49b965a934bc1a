import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type ApiResponse, Client, newIdentity, readResponse } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

const full = process.env.SWITCHBOARD_FULL !== undefined;

let table: TableProxy;
let service: Switchboard;

beforeAll(async () => {
  table = await startTableProxy();
  service = await startSwitchboard({
    env: { DYNAMODB_ENDPOINT: table.endpoint, RATE_LIMIT_CHANNEL: "100000000" },
  });
});

afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

/** A channel into a conversation of its own. */
async function channel(client: Client) {
  const conversation = await client.createConversation("Alerts");
  const id = `c-${randomUUID()}`;
  const { body } = await client.post("/v1/webhooks/register", { channel_id: id, conversation_id: conversation });
  const deliver = async (payload: object): Promise<ApiResponse> => {
    const raw = JSON.stringify(payload);
    const headers = {
      "content-type": "application/json",
      "x-webhook-provider": "custom",
      "x-webhook-signature": createHmac("sha256", body.secret).update(raw).digest("hex"),
    };
    return readResponse(await fetch(`${service.baseUrl}/v1/webhooks/${id}`, { method: "POST", headers, body: raw }));
  };
  /** Ids of the messages by what they are about. */
  const recorded = async () => {
    const found: { message_id: string; alert: { alert_id: string } }[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: ApiResponse = await client.get(
        `/v1/conversations/${conversation}/messages?limit=100${cursor && `&cursor=${cursor}`}`,
      );
      found.push(...page.body.messages);
      cursor = page.body.next_cursor;
    }
    return Map.groupBy(found, ({ alert }) => alert.alert_id);
  };
  return { deliver, recorded };
}

const alert = (alert_id: string) => ({ severity: "high", description: `Alert ${alert_id}`, alert_id });

describe("with a table that throttles and loses answers", () => {
  const deliveries = full ? 5_000 : 200;

  it(`none of ${deliveries} that were acknowledged is missing, and none is there twice`, {
    timeout: 1_800_000,
  }, async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const channels = await Promise.all(Array.from({ length: 10 }, () => channel(client)));
    const all = Array.from({ length: deliveries }, (_, n) => ({
      id: `a-${n}`,
      to: channels[n % 10] as (typeof channels)[0],
    }));
    table.faultRates = { throttleRate: 0.2, lostResponseRate: 0.05 };
    const answers = await mapConcurrent(all, async ({ id, to }) => ({ id, to, answer: await to.deliver(alert(id)) }));
    table.faultRates = {};
    const good = answers.filter(({ answer }) => answer.status === 200);
    const bad = answers.filter(({ answer }) => answer.status !== 200);
    expect(bad.filter(({ answer }) => answer.status < 500).map(({ answer }) => answer.text)).toEqual([]);
    const before = new Map(await Promise.all(channels.map(async (each) => [each, await each.recorded()] as const)));
    for (const { id, to, answer } of good) {
      expect(
        before
          .get(to)
          ?.get(id)
          ?.map(({ message_id }) => message_id),
      ).toEqual([answer.body.message_id]);
    }
    // The provider sends again what was not acknowledged.
    await mapConcurrent(bad, async ({ id, to }) => expect((await to.deliver(alert(id))).status).toBe(200));
    const counts = await Promise.all(
      channels.map(async (each) => [...(await each.recorded()).values()].map((m) => m.length)),
    );
    expect(counts.flat()).toEqual(Array(deliveries).fill(1));
    console.log(`acknowledged ${good.length}, answered 5xx ${bad.length}`);
  });

  it("none is acknowledged while nothing can be written", async () => {
    const { deliver, recorded } = await channel(new Client(newIdentity(), service.baseUrl));
    table.faultRates = { throttleRate: 1 };
    const { status, headers } = await deliver(alert("a-1"));
    table.faultRates = {};
    expect([status >= 500, headers.get("content-type")]).toEqual([true, "application/problem+json"]);
    expect((await recorded()).size).toBe(0);
    expect((await deliver(alert("a-1"))).status).toBe(200);
  });
});

describe("under ordinary load", () => {
  const deliveries = full ? 2_000 : 100;

  it(`this is how long the answers to ${deliveries} take`, { timeout: 300_000 }, async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const { deliver } = await channel(client);
    await deliver(alert("first"));
    const times = await mapConcurrent(
      Array.from({ length: deliveries }, (_, n) => n),
      async (n) => {
        const startedAt = performance.now();
        expect((await deliver(alert(`a-${n}`))).status).toBe(200);
        return performance.now() - startedAt;
      },
      8,
    );
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => `${sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0)} ms`;
    console.log(`8 at a time: median ${at(0.5)}, 99 of 100 within ${at(0.99)}, slowest ${at(1)}`);
  });
});
