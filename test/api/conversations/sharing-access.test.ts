import { expect, it, vi } from "vitest";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";

const sendMessage = (client: Client, id: string) =>
  client.post(
    "/v1/runtime/chat",
    { conversation_id: id, content: "Hi", tier: "QUICK" },
    { accept: "application/json" },
  );

const toIds = (response: ApiResponse) => response.body.conversations.map(({ id }: { id: string }) => id);

/**
 * Request to a route of a conversation. Each entry has a name, the request, and the expected status for the owner,
 * for a WRITE grant and for a READ grant; other users get 404.
 */
type Call = (client: Client, ids: { id: string; question: string; answer: string }) => Promise<ApiResponse>;
const calls: [string, Call, number, number, number][] = [
  ["read", (c, { id }) => c.get(`/v1/conversations/${id}`), 200, 200, 200],
  ["messages", (c, { id }) => c.get(`/v1/conversations/${id}/messages`), 200, 200, 200],
  ["replies", (c, { id, question }) => c.get(`/v1/conversations/${id}/messages/${question}/replies`), 200, 200, 200],
  [
    "revisions",
    (c, { id, question }) => c.get(`/v1/conversations/${id}/messages/${question}/revisions`),
    200,
    200,
    200,
  ],
  [
    "stream",
    async (c, { answer }) => {
      const response = await c.fetch(`/v1/runtime/chat/${answer}/stream`);
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json");
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },
    200,
    200,
    200,
  ],
  ["chat", (c, { id }) => sendMessage(c, id), 200, 200, 403],
  [
    "regenerate",
    (c, { id, answer }) =>
      c.post(
        "/v1/runtime/chat",
        { conversation_id: id, regenerate_message_id: answer, tier: "QUICK" },
        { accept: "application/json" },
      ),
    200,
    200,
    403,
  ],
  ["stop", (c, { answer }) => c.post(`/v1/runtime/chat/${answer}/stop`, {}), 202, 202, 403],
  [
    "edit a message of another",
    (c, { id, question }) => c.patch(`/v1/conversations/${id}/messages/${question}`, { content: "Hello" }),
    200,
    403,
    403,
  ],
  ["delete a message", (c, { id, answer }) => c.delete(`/v1/conversations/${id}/messages/${answer}`), 204, 403, 403],
  ["change", (c, { id }) => c.patch(`/v1/conversations/${id}`, { title: "Other" }), 200, 403, 403],
  [
    "share",
    (c, { id }) => c.post(`/v1/chat/${id}/share`, { user_id: c.identity.user, permission: "WRITE" }),
    400,
    403,
    403,
  ],
  ["list grants", (c, { id }) => c.get(`/v1/chat/${id}/share`), 200, 403, 403],
  ["unshare", (c, { id }) => c.delete(`/v1/chat/${id}/share/${c.identity.user}`), 404, 403, 403],
  ["delete", (c, { id }) => c.delete(`/v1/conversations/${id}`), 204, 403, 403],
];

it.each(calls)(
  "grant of access to a conversation allows or denies the operation by role (owner, writer, reader, other user): %s",
  async (_, call, asOwner, asWriter, asReader) => {
    const owner = new Client();
    const [writer, reader, colleague] = await Promise.all([1, 2, 3].map(() => createColleague(owner, "admin")));
    if (!writer || !reader || !colleague) throw new Error("Expected three colleagues");
    const id = await owner.createConversation();
    const { message_id: answer } = (await sendMessage(owner, id)).body;
    const question = (await owner.get(`/v1/conversations/${id}/messages`)).body.messages[0].message_id;
    expect((await shareConversation(owner, id, writer, "WRITE")).status).toBe(201);
    expect((await shareConversation(owner, id, reader, "READ")).status).toBe(201);
    const ids = { id, question, answer };
    for (const [client, status] of [
      [new Client(), 404],
      [colleague, 404],
      [reader, asReader],
      [writer, asWriter],
      [owner, asOwner],
    ] as const) {
      const response = await call(client, ids);
      expect([client === owner ? "owner" : client.identity.user, response.status]).toEqual([
        client === owner ? "owner" : client.identity.user,
        status,
      ]);
      if (status >= 403) expect(response.body.code).toBe(status === 403 ? "forbidden" : "not_found");
    }
  },
);

it("grant of access to a conversation is shown in the conversation's `access` field and does not reveal the owner's folder and pin", async () => {
  const owner = new Client();
  const reader = await createColleague(owner);
  const id = await owner.createConversation();
  await owner.patch(`/v1/conversations/${id}`, { pinned: true });
  const createdResponse = await shareConversation(owner, id, reader, "READ");
  expect(createdResponse.headers.get("location")).toBe(`/v1/chat/${id}/share/${reader.identity.user}`);
  expect(createdResponse.body).toEqual({
    conversation_id: id,
    user_id: reader.identity.user,
    permission: "READ",
    granted_by: owner.identity.user,
    created_at: createdResponse.body.created_at,
    last_read_at: null,
  });
  expect((await owner.get(createdResponse.headers.get("location") ?? "")).body).toEqual(createdResponse.body);
  expect((await reader.get(`/v1/conversations/${id}`)).body).toMatchObject({ access: "READ", pinned: false });
  const secondResponse = await shareConversation(owner, id, reader, "WRITE");
  expect([secondResponse.status, secondResponse.body]).toEqual([200, { ...createdResponse.body, permission: "WRITE" }]);
  expect((await reader.get("/v1/conversations")).body.conversations[0]).toMatchObject({ id, access: "WRITE" });
  expect((await owner.get(`/v1/chat/${id}/share`)).body.grants).toEqual([secondResponse.body]);
});

it.each(["messages", "replies", "revisions", "stream"])(
  "grant of access to a conversation tells the owner when the user read its %s, without an entry in the audit trail",
  async (door) => {
    const owner = new Client();
    const reader = await createColleague(owner);
    const id = await owner.createConversation();
    const { message_id: answer } = (await sendMessage(owner, id)).body;
    const question = (await owner.get(`/v1/conversations/${id}/messages`)).body.messages[0].message_id;
    await shareConversation(owner, id, reader, "READ");
    const lastRead = async () => (await owner.get(`/v1/chat/${id}/share`)).body.grants[0].last_read_at;
    await reader.get("/v1/conversations");
    await reader.get(`/v1/conversations/${id}`);
    expect(await lastRead()).toBeNull();
    const read = calls.find(([name]) => name === door)?.[1] as Call;
    expect((await read(reader, { id, question, answer })).status).toBe(200);
    const at = await lastRead();
    expect(at).toEqual(expect.any(String));
    await read(reader, { id, question, answer });
    expect(await lastRead()).toBe(at);
    await vi.waitFor(
      async () => {
        const { audit_events } = (await owner.get("/v1/audit-events?action=grant")).body;
        expect(audit_events.map(({ action }: { action: string }) => action)).toEqual(["grant.created"]);
      },
      { timeout: 180_000, interval: 100 },
    );
  },
);

it("grant of access to a conversation has no effect from the first request after it was removed", async () => {
  const owner = new Client();
  const reader = await createColleague(owner);
  const id = await owner.createConversation();
  await shareConversation(owner, id, reader, "READ");
  expect((await owner.delete(`/v1/chat/${id}/share/${reader.identity.user}`)).status).toBe(204);
  expect((await reader.get(`/v1/conversations/${id}`)).status).toBe(404);
  expect(toIds(await reader.get("/v1/conversations"))).toEqual([]);
  expect((await owner.delete(`/v1/chat/${id}/share/${reader.identity.user}`)).status).toBe(404);
  expect((await shareConversation(owner, id, reader, "READ")).status).toBe(201);
});

it("grant of access to a conversation exists once per user after concurrent requests to create it", async () => {
  const owner = new Client();
  const reader = await createColleague(owner);
  const id = await owner.createConversation();
  const responses = await Promise.all(Array.from({ length: 20 }, () => shareConversation(owner, id, reader, "READ")));
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect((await owner.get(`/v1/chat/${id}/share`)).body.grants.length).toBe(1);
});

it("grant of access to a conversation cannot be given to a user of another tenant", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  const stranger = new Client();
  await stranger.get("/v1/me");
  const response = await shareConversation(owner, id, stranger, "READ");
  expect([response.status, response.body.code]).toEqual([404, "not_found"]);
});

it("conversation list includes conversations that others shared, in order of latest activity and across pages", async () => {
  const owner = new Client();
  const reader = await createColleague(owner);
  const shared = await owner.createConversation("shared");
  const own = await reader.createConversation("own");
  await shareConversation(owner, shared, reader, "READ");
  expect(toIds(await reader.get("/v1/conversations"))).toEqual([own, shared]);
  await sendMessage(owner, shared);
  const latest = (await owner.get(`/v1/conversations/${shared}`)).body;
  await vi.waitFor(
    async () => {
      const [first] = (await reader.get("/v1/conversations?limit=1")).body.conversations;
      expect(first).toEqual({ ...latest, access: "READ" });
    },
    { timeout: 180_000, interval: 100 },
  );
  const { body } = await reader.get("/v1/conversations?limit=1");
  expect(body.next_cursor).toBe(latest.last_activity_at);
  expect(toIds(await reader.get(`/v1/conversations?limit=1&cursor=${body.next_cursor}`))).toEqual([own]);
  expect(toIds(await reader.get("/v1/conversations?q=SHARED"))).toEqual([shared]);
  await owner.patch(`/v1/conversations/${shared}`, { title: "renamed" });
  expect((await reader.get("/v1/conversations?limit=1")).body.conversations[0].title).toBe("renamed");
  await owner.delete(`/v1/conversations/${shared}`);
  expect(toIds(await reader.get("/v1/conversations"))).toEqual([own]);
});

it("reader with READ lists and opens only messages of the active branch, others all messages", async () => {
  const owner = new Client();
  const id = await owner.createConversation();
  await owner.chat({ conversation_id: id, content: "Where does the discarded heron nest?", tier: "QUICK" });
  const { body: before } = await owner.get(`/v1/conversations/${id}/messages`);
  const question = before.messages.find(({ role }: { role: string }) => role === "user").message_id;
  await owner.chat({ conversation_id: id, edit_message_id: question, content: "Where do storks nest?", tier: "QUICK" });
  const [reader, writer] = [await createColleague(owner), await createColleague(owner)];
  await shareConversation(owner, id, reader, "READ");
  await shareConversation(owner, id, writer, "WRITE");
  const countIn = async (client: Client) => {
    const { body, text } = await client.get(`/v1/conversations/${id}/messages`);
    return [body.messages.length, text.includes("discarded heron")];
  };
  expect(await countIn(owner)).toEqual([4, true]);
  expect(await countIn(writer)).toEqual([4, true]);
  expect(await countIn(reader)).toEqual([2, false]);
  for (const path of ["replies", "revisions"]) {
    const statuses = [reader, owner].map(
      async (client) => (await client.get(`/v1/conversations/${id}/messages/${question}/${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 200]);
  }
});
