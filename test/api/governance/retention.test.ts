import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { awsJson } from "../../../infra/local/aws-json.ts";

const day = 86_400_000;
const TableName = "switchboard-local-table";

interface StoredItem {
  readonly last_activity_at: string;
  readonly retention_days?: number;
  readonly ttl: number;
}

let table: TableProxy;
let service: Switchboard;

beforeAll(async () => {
  table = await startTableProxy();
  service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint, LOCAL_TTL_SECONDS: "1" } });
});
afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

const call = (operation: string, input: object) =>
  awsJson(table.endpoint, `DynamoDB_20120810.${operation}`, { TableName, ...input }) as Promise<
    Record<string, unknown>
  >;

const keyOf = (client: Client, id: string) => ({
  pk: { S: `${client.identity.tenant}#conversation#${id}` },
  sk: { S: "conversation" },
});

async function itemOf(client: Client, id: string) {
  const { Item } = await call("GetItem", { Key: keyOf(client, id), ConsistentRead: true });
  return (Item && unmarshall(Item as Parameters<typeof unmarshall>[0])) as StoredItem | undefined;
}

/** A conversation that was last active so many milliseconds ago. */
async function agedBy(client: Client, milliseconds: number, title = "Old"): Promise<string> {
  const id = await client.createConversation(title);
  await age(client, id, milliseconds);
  return id;
}

async function age(client: Client, id: string, milliseconds: number): Promise<void> {
  await call("UpdateItem", {
    Key: keyOf(client, id),
    UpdateExpression: "SET last_activity_at = :at, gsi1sk = :at",
    ExpressionAttributeValues: { ":at": { S: new Date(Date.now() - milliseconds).toISOString() } },
  });
}

/** Everything in the table that mentions an id, aside from the audit trail. */
async function mentions(id: string): Promise<unknown[]> {
  const { Items } = await call("Scan", {});
  const isTrail = ({ pk }: { pk: { S: string } }) => pk.S.endsWith("#audit");
  return (Items as { pk: { S: string } }[]).filter((item) => !isTrail(item) && JSON.stringify(item).includes(id));
}

const keep = (client: Client, days: number | null) => setPolicy(client, { retention: { conversation_days: days } });

/** Waits until a conversation's end is set as it should be. */
const untilRetained = (client: Client, id: string, days: number | undefined) =>
  vi.waitFor(async () => expect((await itemOf(client, id))?.retention_days).toBe(days), {
    timeout: 15_000,
    interval: 50,
  });

const statusOf = async (client: Client, id: string) => (await client.get(`/v1/conversations/${id}`)).status;
const listed = async (client: Client): Promise<string[]> =>
  (await client.get("/v1/conversations")).body.conversations.map(({ id }: { id: string }) => id);

describe("retention of 30 days", () => {
  it("expires what is older and all that is in it, and keeps what is newer", { timeout: 60_000 }, async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const reader = await createColleague(owner);
    const folder = (await owner.post("/v1/folders", { name: "F" })).body.id;
    const old = await owner.createConversation("Old");
    await owner.patch(`/v1/conversations/${old}`, { folder_id: folder });
    await owner.chat({ conversation_id: old, content: "Something", tier: "QUICK" });
    await shareConversation(owner, old, reader, "READ");
    const { url } = (await owner.post(`/v1/chat/${old}/share-link`, { expires_in: "30d" })).body;
    const channel = `c-${randomUUID()}`;
    await owner.post("/v1/webhooks/register", { channel_id: channel, conversation_id: old });
    await age(owner, old, 30 * day + 1_000);
    const others = [await agedBy(reader, 31 * day), await agedBy(owner, 400 * day)];
    const young = [await agedBy(owner, 30 * day - 60_000), await agedBy(reader, day), await owner.createConversation()];
    await keep(owner, 30);
    await vi.waitFor(async () => expect(await statusOf(owner, old)).toBe(404), { timeout: 15_000, interval: 50 });
    await vi.waitFor(
      async () => {
        for (const id of others) expect([await statusOf(owner, id), await statusOf(reader, id)]).toEqual([404, 404]);
      },
      { timeout: 15_000, interval: 50 },
    );
    expect(await statusOf(reader, old)).toBe(404);
    expect((await fetch(service.baseUrl + url)).status).toBe(410);
    expect((await listed(owner)).sort()).toEqual([young[0], young[2]].sort());
    expect(await listed(reader)).toEqual([young[1]]);
    // The table's own expiry comes by, and what was in it goes the way of a deleted conversation.
    await vi.waitFor(async () => expect(await mentions(old)).toEqual([]), { timeout: 30_000, interval: 250 });
    expect((await owner.get(`/v1/folders/${folder}`)).body.conversation_count).toBe(0);
    expect((await owner.get(`/v1/webhooks/${channel}/info`)).body.has_conversation_mapping).not.toBe(true);
    for (const id of young) expect(await itemOf(owner, id)).toMatchObject({ retention_days: 30 });
  });

  it("is saved from by lifting it in time, and by nothing later", { timeout: 60_000 }, async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const late = await agedBy(owner, 40 * day);
    const saved = await agedBy(owner, 30 * day - 8_000);
    await keep(owner, 30);
    await untilRetained(owner, saved, 30);
    await vi.waitFor(async () => expect(await statusOf(owner, late)).toBe(404), { timeout: 15_000 });
    await keep(owner, null);
    await untilRetained(owner, saved, undefined);
    await sleep(9_000);
    expect([await statusOf(owner, saved), await statusOf(owner, late)]).toEqual([200, 404]);
    expect(await itemOf(owner, saved)).not.toHaveProperty("ttl");
  });

  it("goes by the last activity, and holds for what is new as well", { timeout: 60_000 }, async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const active = await agedBy(owner, 29 * day);
    await keep(owner, 30);
    await untilRetained(owner, active, 30);
    const before = await itemOf(owner, active);
    await owner.chat({ conversation_id: active, content: "Still here", tier: "QUICK" });
    const after = await itemOf(owner, active);
    expect(Number(after?.ttl) - Number(before?.ttl)).toBeGreaterThan(28 * 86_400);
    expect(after?.ttl).toBe(Math.floor(Date.parse(String(after?.last_activity_at)) / 1_000) + 30 * 86_400);
    const fresh = await owner.createConversation();
    await untilRetained(owner, fresh, 30);
    await keep(owner, 7);
    for (const id of [active, fresh]) await untilRetained(owner, id, 7);
  });

  it("is made right where an activity was under way when it changed", async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const id = await owner.createConversation();
    await keep(owner, 30);
    await untilRetained(owner, id, 30);
    // As a turn leaves it that had read the conversation before.
    await call("UpdateItem", {
      Key: keyOf(owner, id),
      UpdateExpression: "SET #ttl = :ttl",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":ttl": { N: "4000000000" } },
    });
    await vi.waitFor(async () => expect((await itemOf(owner, id))?.ttl).toBeLessThan(3_900_000_000), {
      timeout: 15_000,
    });
  });
});
