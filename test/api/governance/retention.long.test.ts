import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { awsJson } from "../../../infra/local/aws-json.ts";

const DAY_MS = 86_400_000;
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

const callTable = (operation: string, input: object) =>
  awsJson(table.endpoint, `DynamoDB_20120810.${operation}`, { TableName, ...input }) as Promise<
    Record<string, unknown>
  >;

const conversationKey = (client: Client, id: string) => ({
  pk: { S: `${client.identity.tenant}#conversation#${id}` },
  sk: { S: "conversation" },
});

async function getStoredConversation(client: Client, id: string) {
  const { Item } = await callTable("GetItem", { Key: conversationKey(client, id), ConsistentRead: true });
  return (Item && unmarshall(Item as Parameters<typeof unmarshall>[0])) as StoredItem | undefined;
}

/** Creates a conversation whose last activity was `ageMs` ago. */
async function createAgedConversation(client: Client, ageMs: number, title = "Old"): Promise<string> {
  const id = await client.createConversation(title);
  await setAge(client, id, ageMs);
  return id;
}

async function setAge(client: Client, id: string, ageMs: number): Promise<void> {
  await callTable("UpdateItem", {
    Key: conversationKey(client, id),
    UpdateExpression: "SET last_activity_at = :at, gsi1sk = :at",
    ExpressionAttributeValues: { ":at": { S: new Date(Date.now() - ageMs).toISOString() } },
  });
}

/** Returns all items that contain an id, except the audit trail. */
async function findItemsWithId(id: string): Promise<unknown[]> {
  const { Items } = await callTable("Scan", {});
  const isAuditItem = ({ pk }: { pk: { S: string } }) => pk.S.endsWith("#audit");
  return (Items as { pk: { S: string } }[]).filter((item) => !isAuditItem(item) && JSON.stringify(item).includes(id));
}

const setRetention = (client: Client, days: number | null) =>
  setPolicy(client, { retention: { conversation_days: days } });

/** Waits until a stored conversation has the given retention. */
const waitForRetention = (client: Client, id: string, days: number | undefined) =>
  vi.waitFor(async () => expect((await getStoredConversation(client, id))?.retention_days).toBe(days), {
    timeout: 180_000,
    interval: 50,
  });

const getStatus = async (client: Client, id: string) => (await client.get(`/v1/conversations/${id}`)).status;
const listIds = async (client: Client): Promise<string[]> =>
  (await client.get("/v1/conversations")).body.conversations.map(({ id }: { id: string }) => id);

const question = { content: "Remember that I prefer tea to coffee.", tier: "QUICK" };

it("temporary conversation is in no list, uses and proposes no memories, and is deleted a day after its last activity under any policy", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const kept = await owner.createConversation();
  const { status, body } = await owner.post("/v1/conversations", { title: "Aside", temporary: true });
  expect([status, body.temporary]).toEqual([201, true]);
  const proposed = async (conversation_id: string) =>
    (await owner.chat({ conversation_id, ...question })).filter(({ event }) => event === "memory_proposal").length;
  expect([await proposed(kept), await proposed(body.id)]).toEqual([1, 0]);
  expect(await listIds(owner)).toEqual([kept]);
  await setRetention(owner, 30);
  await waitForRetention(owner, kept, 30);
  expect((await getStoredConversation(owner, body.id))?.retention_days).toBe(1);
  await setAge(owner, body.id, DAY_MS - 60_000);
  expect(await getStatus(owner, body.id)).toBe(200);
  await setAge(owner, body.id, DAY_MS + 1_000);
  await vi.waitFor(async () => expect(await getStatus(owner, body.id)).toBe(404), { timeout: 180_000, interval: 50 });
});

it("temporary conversation cannot be created in a folder", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const folder_id = (await owner.post("/v1/folders", { name: "F" })).body.id;
  const { status, body } = await owner.post("/v1/conversations", { title: "Aside", temporary: true, folder_id });
  expect([status, body.errors[0].path]).toEqual([400, "folder_id"]);
});

it("temporary conversation cannot be moved into a folder, but its other fields can be changed", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const folder_id = (await owner.post("/v1/folders", { name: "F" })).body.id;
  const { body } = await owner.post("/v1/conversations", { title: "Aside", temporary: true });
  const path = `/v1/conversations/${body.id}`;
  const refused = await owner.patch(path, { folder_id, title: "Kept" });
  expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  expect((await owner.get(path)).body).toMatchObject({ title: "Aside", folder_id: null });
  expect((await owner.patch(path, { folder_id: null, title: "Kept" })).body.title).toBe("Kept");
});

it("temporary conversation without messages can be kept, also in a folder, and then expires as the policy says", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const folder_id = (await owner.post("/v1/folders", { name: "F" })).body.id;
  const create = async () => (await owner.post("/v1/conversations", { title: null, temporary: true })).body.id;
  const id = await create();
  const kept = await owner.patch(`/v1/conversations/${id}`, { temporary: false, folder_id });
  expect([kept.status, kept.body.temporary, kept.body.folder_id]).toEqual([200, undefined, folder_id]);
  expect(await listIds(owner)).toEqual([id]);
  expect((await getStoredConversation(owner, id))?.ttl).toBeUndefined();
  await setRetention(owner, 30);
  await waitForRetention(owner, id, 30);
  const later = await create();
  // The change feed has seen the temporary conversation when it has seen the one after it.
  await waitForRetention(owner, await owner.createConversation(), 30);
  expect((await owner.patch(`/v1/conversations/${later}`, { temporary: false })).status).toBe(200);
  await waitForRetention(owner, later, 30);
  const asked = await create();
  await owner.chat({ conversation_id: asked, ...question });
  expect((await owner.patch(`/v1/conversations/${asked}`, { temporary: false })).body.code).toBe("conflict");
});

it("conversation retention of 30 days deletes conversations older than 30 days with their contents and keeps newer ones", async () => {
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
  await setAge(owner, old, 30 * DAY_MS + 1_000);
  const others = [await createAgedConversation(reader, 31 * DAY_MS), await createAgedConversation(owner, 400 * DAY_MS)];
  const young = [
    await createAgedConversation(owner, 30 * DAY_MS - 60_000),
    await createAgedConversation(reader, DAY_MS),
    await owner.createConversation(),
  ];
  await setRetention(owner, 30);
  await vi.waitFor(async () => expect(await getStatus(owner, old)).toBe(404), { timeout: 180_000, interval: 50 });
  await vi.waitFor(
    async () => {
      for (const id of others) expect([await getStatus(owner, id), await getStatus(reader, id)]).toEqual([404, 404]);
    },
    { timeout: 180_000, interval: 50 },
  );
  expect(await getStatus(reader, old)).toBe(404);
  expect((await fetch(service.baseUrl + url)).status).toBe(410);
  expect((await listIds(owner)).sort()).toEqual([young[0], young[2]].sort());
  expect(await listIds(reader)).toEqual([young[1]]);
  // After the TTL deletes the conversation, its contents are purged as after an explicit deletion.
  await vi.waitFor(async () => expect(await findItemsWithId(old)).toEqual([]), { timeout: 180_000, interval: 250 });
  expect((await owner.get(`/v1/folders/${folder}`)).body.conversation_count).toBe(0);
  expect((await owner.get(`/v1/webhooks/${channel}/info`)).body.has_conversation_mapping).not.toBe(true);
  for (const id of young) expect(await getStoredConversation(owner, id)).toMatchObject({ retention_days: 30 });
});

it("conversation retention of 30 days can be switched off to keep conversations that have not expired yet", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const expiredId = await createAgedConversation(owner, 40 * DAY_MS);
  const savedId = await createAgedConversation(owner, 30 * DAY_MS - 8_000);
  await setRetention(owner, 30);
  await waitForRetention(owner, savedId, 30);
  await vi.waitFor(async () => expect(await getStatus(owner, expiredId)).toBe(404), { timeout: 180_000 });
  await setRetention(owner, null);
  await waitForRetention(owner, savedId, undefined);
  await sleep(9_000);
  expect([await getStatus(owner, savedId), await getStatus(owner, expiredId)]).toEqual([200, 404]);
  expect(await getStoredConversation(owner, savedId)).not.toHaveProperty("ttl");
});

it("conversation retention of 30 days counts from the last activity of a conversation and also applies to new conversations", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const active = await createAgedConversation(owner, 29 * DAY_MS);
  await setRetention(owner, 30);
  await waitForRetention(owner, active, 30);
  const before = await getStoredConversation(owner, active);
  await owner.chat({ conversation_id: active, content: "Still here", tier: "QUICK" });
  const after = await getStoredConversation(owner, active);
  expect(Number(after?.ttl) - Number(before?.ttl)).toBeGreaterThan(28 * 86_400);
  expect(after?.ttl).toBe(Math.floor(Date.parse(String(after?.last_activity_at)) / 1_000) + 30 * 86_400);
  const fresh = await owner.createConversation();
  await waitForRetention(owner, fresh, 30);
  await setRetention(owner, 7);
  for (const id of [active, fresh]) await waitForRetention(owner, id, 7);
});

it("conversation retention of 30 days corrects the expiry time that a concurrent activity wrote with the old policy", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const id = await owner.createConversation();
  await setRetention(owner, 30);
  await waitForRetention(owner, id, 30);
  // Simulates a turn that read the conversation before the retention changed, and writes the old expiry time
  // afterwards.
  await callTable("UpdateItem", {
    Key: conversationKey(owner, id),
    UpdateExpression: "SET #ttl = :ttl",
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: { ":ttl": { N: "4000000000" } },
  });
  await vi.waitFor(async () => expect((await getStoredConversation(owner, id))?.ttl).toBeLessThan(3_900_000_000), {
    timeout: 180_000,
  });
});
