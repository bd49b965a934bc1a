import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { createKeyClient, type KeyClient } from "#test/support/tenancy/key-client.ts";

let admin: Client;
let backend: KeyClient;
beforeAll(async () => {
  admin = new Client();
  backend = await createKeyClient(admin, { preset: "chat_backend" });
});

const newUserId = () => `customer-${randomUUID()}`;
const personOf = (user: string) => new Client({ ...admin.identity, user, roles: "member" }, admin.baseUrl);

it("X-On-Behalf-Of makes a request act as the named user, and the first request creates the user as a member", async () => {
  const user = newUserId();
  const client = backend.onBehalfOf(user);
  expect((await client.get("/v1/me")).body).toMatchObject({
    user_id: user,
    roles: ["member"],
    auth_provider: "api_key",
  });
  const conversation = await client.createConversation();
  const frames = await client.chat({ conversation_id: conversation, content: "Hello", tier: "QUICK" });
  expect(frames.at(-1)?.event).toBe("done");
  const { body } = await personOf(user).get(`/v1/conversations/${conversation}`);
  expect(body).toMatchObject({ owner_id: user, access: "owner" });
  // Other users and the key itself cannot read what the user owns.
  for (const other of [backend, backend.onBehalfOf(newUserId()), personOf(newUserId())]) {
    expect((await other.get(`/v1/conversations/${conversation}`)).status).toBe(404);
    expect((await other.get(`/v1/runtime/chat/${frames[0]?.data.message_id}/stream`)).status).toBe(404);
    const question = { conversation_id: conversation, content: "Hello" };
    expect((await other.post("/v1/runtime/chat", question)).status).toBe(404);
  }
});

it("X-On-Behalf-Of gives a person the permissions of the role member and of groups, and no more than the key has", async () => {
  const all = await createKeyClient(admin, { preset: "administrator", scopes: ["users.act_as"] });
  await admin.post("/v1/roles", { name: "keymaker", permissions: ["rbac.manage", "users.act_as", "message.read"] });
  const few = await createKeyClient(await createColleague(admin, "keymaker"), {
    preset: "administrator",
    scopes: ["users.act_as"],
  });
  const user = newUserId();
  const permissionsOf = async (client: Client) => (await client.get("/v1/rbac/me")).body.permissions.toSorted();
  const ofMember = await permissionsOf(await createColleague(admin));
  expect(await permissionsOf(all.onBehalfOf(user))).toEqual(ofMember);
  expect(await permissionsOf(few.onBehalfOf(user))).toEqual(["message.read"]);
  await admin.post("/v1/groups", { name: "Auditors", roles: ["admin"], member_ids: [user] });
  expect(await permissionsOf(few.onBehalfOf(user))).toEqual(["message.read", "rbac.manage", "users.act_as"]);
});

it("X-On-Behalf-Of is refused for an API key without the required scope and for a user's token", async () => {
  const plain = await createKeyClient(admin, { preset: "administrator" });
  const user = newUserId();
  for (const client of [plain, admin]) {
    const response = await client.get("/v1/me", { "x-on-behalf-of": user });
    expect([response.status, response.body.detail]).toEqual([403, expect.stringContaining("users.act_as")]);
  }
  const stream = await plain.post("/v1/runtime/chat", {}, { "x-on-behalf-of": user });
  expect(stream.status).toBe(403);
  // A refused request creates no user.
  const share = { user_id: user, permission: "READ" };
  expect((await admin.post(`/v1/chat/${await admin.createConversation()}/share`, share)).status).toBe(404);
});

it.each(["", " ", "swk:", "swk:x", "ä", "x".repeat(256), "alice\tbob", "%", "%zz", "a%00", "%ff", "a!2Bb"])(
  "X-On-Behalf-Of is refused with the malformed user id %j",
  async (id) => {
    for (const send of [
      () => backend.get("/v1/me", { "x-on-behalf-of": id }),
      () => backend.post("/v1/runtime/chat", {}, { "x-on-behalf-of": id }),
    ]) {
      const { status, body } = await send();
      expect([status, body.errors?.[0].location]).toEqual([400, "header"]);
    }
  },
);

it("X-On-Behalf-Of is refused with 400 when it names the service user of another API key", async () => {
  const other = await createKeyClient(admin, { preset: "administrator" });
  expect((await backend.get("/v1/me", { "x-on-behalf-of": `swk:${other.keyId}` })).status).toBe(400);
});

it("X-On-Behalf-Of keeps equal Idempotency-Keys of different users apart", async () => {
  const headers = { "idempotency-key": "same" };
  const users = [newUserId(), newUserId()];
  const created = await Promise.all(
    users.map((user) => backend.onBehalfOf(user).post("/v1/conversations", { title: "x" }, headers)),
  );
  expect(new Set(created.map(({ body }) => body.id)).size).toBe(2);
  const replay = await personOf(users[0] ?? "").post("/v1/conversations", { title: "x" }, headers);
  expect(created.map(({ body }) => body.id)).not.toContain(replay.body.id);
});

it("audit trail records for a request with X-On-Behalf-Of the named user as the actor, and the API key", async () => {
  const user = newUserId();
  const conversation = await backend.onBehalfOf(user).createConversation();
  await backend.onBehalfOf(user).delete(`/v1/conversations/${conversation}`);
  const via = { type: "api_key", id: backend.keyId };
  const actors = async (query: string) =>
    (await admin.get(`/v1/audit-events?target=${conversation}${query}`)).body.audit_events.map(
      ({ action, actor }: { action: string; actor: object }) => [action, actor],
    );
  const expected = [
    ["conversation.deleted", { type: "user", id: user, via }],
    ["conversation.created", { type: "user", id: user, via }],
  ];
  await expect.poll(() => actors("")).toEqual(expected);
  expect(await actors(`&actor=${user}`)).toEqual(expected);
  expect(await actors(`&actor=${backend.keyId}`)).toEqual(expected);
  expect((await admin.get("/v1/audit-events/verify")).body).toMatchObject({ valid: true });
});
