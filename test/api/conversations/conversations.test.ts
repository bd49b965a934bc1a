import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { sized } from "#test/support/run-size.ts";

/** Number of conversations in the paging test. */
const conversationCount = sized({ usual: 600, full: 2_000, soak: 10_000 });

async function listAll(client: Client, limit: number, betweenPages: () => Promise<unknown> = async () => {}) {
  const listed: { id: string; last_activity_at: string }[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await client.get(
      `/v1/conversations?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
    );
    listed.push(...body.conversations);
    if (body.next_cursor) expect(body.next_cursor).toBe(body.conversations.at(-1).last_activity_at);
    cursor = body.next_cursor;
    await betweenPages();
  } while (cursor);
  return listed;
}

it("conversation is created with defaults, a Location header and its owner", async () => {
  const client = new Client();
  const { status, headers, body } = await client.post("/v1/conversations", { title: "  Plans  " });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/conversations/${body.id}`);
  expect(body).toMatchObject({
    title: "Plans",
    tier: "THINKING",
    folder_id: null,
    persona_id: null,
    owner_id: client.identity.user,
    access: "owner",
    pinned: false,
    message_count: 0,
  });
  expect(body.last_activity_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect((await client.get(headers.get("location") ?? "")).body).toEqual(body);
});

it("conversation keeps omitted fields unchanged on update", async () => {
  const client = new Client();
  const { body: before } = await client.post("/v1/conversations", { title: "One", tier: "QUICK" });
  const { status, body } = await client.patch(`/v1/conversations/${before.id}`, { title: "Two", pinned: true });
  expect(status).toBe(200);
  expect(body).toEqual({ ...before, title: "Two", pinned: true, updated_at: body.updated_at });
});

it("deleted conversation is answered with 404 and is in no list", async () => {
  const client = new Client();
  const id = await client.createConversation();
  const deleteResponse = await client.delete(`/v1/conversations/${id}`);
  expect([deleteResponse.status, deleteResponse.text]).toEqual([204, ""]);
  expect((await client.get(`/v1/conversations/${id}`)).status).toBe(404);
  expect((await client.get(`/v1/conversations/${id}/messages`)).status).toBe(404);
  expect((await client.delete(`/v1/conversations/${id}`)).status).toBe(404);
  expect((await client.get("/v1/conversations")).body.conversations).toEqual([]);
});

it("conversation is listed by latest activity and filtered by the words of its title in any order, and by pin", async () => {
  const client = new Client();
  const first = await client.createConversation("Apples and pears");
  const second = await client.createConversation("Pears");
  await client.patch(`/v1/conversations/${first}`, { pinned: true });
  const ids = async (query: string) =>
    (await client.get(`/v1/conversations${query}`)).body.conversations.map(({ id }: { id: string }) => id);
  expect(await ids("")).toEqual([second, first]);
  expect(await ids("?q=APPLES")).toEqual([first]);
  expect(await ids("?q=pears%20apples")).toEqual([first]);
  expect(await ids("?q=pears%20plums")).toEqual([]);
  expect(await ids("?pinned=true")).toEqual([first]);
  expect(await ids("?pinned=false&q=pears")).toEqual([second]);
});

it(`conversation appears exactly once when ${conversationCount} conversations are listed in pages while others are added`, async () => {
  const client = new Client();
  const createdIds: string[] = [];
  for (let start = 0; start < conversationCount; start += 100) {
    createdIds.push(...(await Promise.all(Array.from({ length: 100 }, () => client.createConversation()))));
  }
  const listed = await listAll(client, 100, () => client.createConversation("added during paging"));
  expect(listed.length).toBe(conversationCount);
  expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(createdIds));
  const activities = listed.map(({ last_activity_at }) => last_activity_at);
  expect(activities).toEqual([...new Set(activities)].sort().reverse());
});

it("conversation moves to the top of the list when a message is added", async () => {
  const client = new Client();
  const first = await client.createConversation("first");
  await client.createConversation("second");
  await client.chat({ conversation_id: first, content: "Hello", tier: "QUICK" });
  const { body } = await client.get("/v1/conversations?limit=1");
  expect(body.conversations[0]).toMatchObject({ id: first, message_count: 2, tier: "QUICK" });
});

it("conversation returns the same 404 for another tenant's id, an unknown id and a malformed id", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const stranger = new Client();
  const colleague = new Client({ ...newIdentity(), tenant: owner.identity.tenant });
  const ids = [id, "01890000-0000-7000-8000-000000000000", "not-an-id", "x".repeat(900), "a%23b", "%20"];
  const headers = { "x-request-id": "same" };
  for (const caller of [stranger, colleague]) {
    const responses = await Promise.all(
      ids.flatMap((requestedId) => [
        caller.get(`/v1/conversations/${requestedId}`, headers),
        caller.patch(`/v1/conversations/${requestedId}`, { title: "mine" }, headers),
        caller.delete(`/v1/conversations/${requestedId}`, headers),
        caller.get(`/v1/conversations/${requestedId}/messages`, headers),
      ]),
    );
    const chatResponse = await caller.post("/v1/runtime/chat", { conversation_id: id, content: "hi" }, headers);
    expect(new Set([...responses, chatResponse].map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(chatResponse.status).toBe(404);
  }
  expect((await owner.get(`/v1/conversations/${id}`)).body.title).toBe("A conversation");
});
