import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type ApiResponse, Client, newIdentity, readResponse } from "#test/support/client.ts";
import { sized } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

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

/** Registers a channel for a new conversation. */
async function createChannel(client: Client) {
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
  /** Returns the conversation's messages by alert id. */
  const listMessagesByAlert = async () => {
    const messages: { message_id: string; alert: { alert_id: string } }[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: ApiResponse = await client.get(
        `/v1/conversations/${conversation}/messages?limit=100${cursor && `&cursor=${cursor}`}`,
      );
      messages.push(...page.body.messages);
      cursor = page.body.next_cursor;
    }
    return Map.groupBy(messages, ({ alert }) => alert.alert_id);
  };
  return { deliver, listMessagesByAlert };
}

const createAlert = (alert_id: string) => ({ severity: "high", description: `Alert ${alert_id}`, alert_id });

describe("webhook ingestion with a failing table", () => {
  const deliveries = sized({ usual: 60, full: 400, soak: 5_000 });

  it(`webhook ingestion with a failing table stores each of ${deliveries} alerts exactly once after providers retry the failed deliveries`, async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const channels = await Promise.all(Array.from({ length: 10 }, () => createChannel(client)));
    const alerts = Array.from({ length: deliveries }, (_, n) => ({
      id: `a-${n}`,
      channel: channels[n % 10] as (typeof channels)[0],
    }));
    table.faultRates = { throttleRate: 0.2, lostResponseRate: 0.05 };
    const answers = await mapConcurrent(alerts, async ({ id, channel }) => ({
      id,
      channel,
      answer: await channel.deliver(createAlert(id)),
    }));
    table.faultRates = {};
    const acknowledged = answers.filter(({ answer }) => answer.status === 200);
    const failed = answers.filter(({ answer }) => answer.status !== 200);
    expect(failed.filter(({ answer }) => answer.status < 500).map(({ answer }) => answer.text)).toEqual([]);
    const before = new Map(
      await Promise.all(channels.map(async (channel) => [channel, await channel.listMessagesByAlert()] as const)),
    );
    for (const { id, channel, answer } of acknowledged) {
      expect(
        before
          .get(channel)
          ?.get(id)
          ?.map(({ message_id }) => message_id),
      ).toEqual([answer.body.message_id]);
    }
    // Providers retry deliveries that were not acknowledged.
    await mapConcurrent(failed, async ({ id, channel }) =>
      expect((await channel.deliver(createAlert(id))).status).toBe(200),
    );
    const counts = await Promise.all(
      channels.map(async (channel) => [...(await channel.listMessagesByAlert()).values()].map(({ length }) => length)),
    );
    expect(counts.flat()).toEqual(Array(deliveries).fill(1));
    console.log(`acknowledged ${acknowledged.length}, 5xx ${failed.length}`);
  });

  it("webhook delivery is answered with a server error while the table throttles, and can be sent again afterwards", async () => {
    const { deliver, listMessagesByAlert } = await createChannel(new Client(newIdentity(), service.baseUrl));
    table.faultRates = { throttleRate: 1 };
    const { status, headers } = await deliver(createAlert("a-1"));
    table.faultRates = {};
    expect([status >= 500, headers.get("content-type")]).toEqual([true, "application/problem+json"]);
    expect((await listMessagesByAlert()).size).toBe(0);
    expect((await deliver(createAlert("a-1"))).status).toBe(200);
  });
});

describe("webhook ingestion under normal load", () => {
  const deliveries = sized({ usual: 30, full: 150, soak: 2_000 });

  it(`webhook ingestion under normal load acknowledges ${deliveries} deliveries and prints their latency`, async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const { deliver } = await createChannel(client);
    await deliver(createAlert("first"));
    const times = await mapConcurrent(
      Array.from({ length: deliveries }, (_, n) => n),
      async (n) => {
        const startedAt = performance.now();
        expect((await deliver(createAlert(`a-${n}`))).status).toBe(200);
        return performance.now() - startedAt;
      },
      8,
    );
    const sorted = times.toSorted((a, b) => a - b);
    const percentile = (fraction: number) => `${sorted[Math.floor(fraction * (sorted.length - 1))]?.toFixed(0)} ms`;
    console.log(`concurrency 8: p50 ${percentile(0.5)}, p99 ${percentile(0.99)}, max ${percentile(1)}`);
  });
});
