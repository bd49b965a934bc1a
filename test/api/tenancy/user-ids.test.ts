import { beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { foreignUserValues } from "#test/support/tenancy/foreign-user-values.ts";
import { createKeyClient, type KeyClient } from "#test/support/tenancy/key-client.ts";

let admin: Client;
let backend: KeyClient;
let provider: KeyClient;
beforeAll(async () => {
  admin = new Client();
  // A tenant of its own: keys do not act for people who sign in.
  backend = await createKeyClient(new Client(), { preset: "chat_backend" });
  provider = await createKeyClient(admin, { scopes: ["scim"] });
});

const clientOf = (user: string) => new Client({ ...admin.identity, user, roles: "member" }, admin.baseUrl);
const path = (id: string) => `/v1/tenant/users/${encodeURIComponent(id)}`;

it.each(foreignUserValues)(
  "user %s signs in, is shared with, found, managed and counted by one id",
  async (_, value) => {
    const person = clientOf(value);
    const { status, body: me } = await person.get("/v1/me");
    expect([status, me.external_id]).toEqual([200, value]);
    const { body: receptor } = await person.get("/v1/receptor");
    expect(receptor.user).toMatchObject({ user_id: me.user_id, external_id: value });
    expect((await admin.get(path(me.user_id))).body).toMatchObject({ id: me.user_id, external_id: value });
    const filter = encodeURIComponent(`userName eq ${JSON.stringify(value)}`);
    expect((await provider.get(`/scim/v2/Users?filter=${filter}`)).body.Resources).toMatchObject([{ id: me.user_id }]);

    const conversation = await admin.createConversation();
    const share = `/v1/chat/${conversation}/share`;
    expect((await admin.post(share, { user_id: me.user_id, permission: "READ" })).status).toBe(201);
    expect((await person.get(`/v1/conversations/${conversation}`)).body.access).toBe("READ");
    expect((await admin.delete(`${share}/${encodeURIComponent(me.user_id)}`)).status).toBe(204);
    const own = await person.createConversation();
    const frames = await person.chat({ conversation_id: own, content: "Hello", tier: "QUICK" });
    expect(frames.at(-1)?.event).toBe("done");
    expect((await person.get(`/v1/conversations/${own}`)).body.owner_id).toBe(me.user_id);

    const group = await admin.post("/v1/groups", { name: `G ${conversation}`, member_ids: [me.user_id] });
    expect([group.status, group.body.member_ids]).toEqual([201, [me.user_id]]);
    const set = (is_active: boolean) => admin.patch(path(me.user_id), { is_active });
    expect([(await set(false)).body.is_active, (await set(true)).body.is_active]).toEqual([false, true]);
  },
);

it.each(foreignUserValues)(
  "back end acts for the user %s by header and by token as for one person",
  async (_, value) => {
    const person = await backend.onBehalfOf(value).get("/v1/me");
    expect([person.status, person.body.external_id]).toEqual([200, value]);
    const { status, body } = await backend.post("/v1/tokens", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: value,
      subject_token_type: "urn:switchboard:token-type:user-id",
    });
    expect(status).toBe(200);
    const response = await fetch(`${admin.baseUrl}/v1/me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(await response.json()).toMatchObject({ user_id: person.body.user_id, external_id: value });
  },
);

it("requests can name a user by the value of the identity provider", async () => {
  const owner = new Client(newIdentity());
  const conversation = await owner.createConversation();
  for (const value of ["o'neil@example.com", "CN=Ada, O=X", "山田太郎"]) {
    const person = new Client({ ...owner.identity, user: value, roles: "member" }, owner.baseUrl);
    const { user_id } = (await person.get("/v1/me")).body;
    const grant = await owner.post(`/v1/chat/${conversation}/share`, { user_id: value, permission: "READ" });
    expect([grant.status, grant.body.user_id]).toEqual([201, user_id]);
    expect((await owner.get(path(value))).body).toMatchObject({ id: user_id, external_id: value });
    const events = await owner.get(`/v1/audit-events?actor=${encodeURIComponent(value)}`);
    expect(events.status).toBe(200);
  }
  const { text } = await owner.get("/v1/usage?group_by=user", { accept: "text/csv" });
  expect(text).toMatch(/^user_id,/);
});

it("values that differ in case, normal form or escapes are different people", async () => {
  const pairs = [
    ["Ada+x", "ada+x"],
    ["Zoë", "Zoe\u0308"],
    ["a b", "a%20b"],
    ["K", "\u212a"],
    ["a+b", "a!2bb"],
  ] as const;
  for (const [first, second] of pairs) {
    const ids = [
      (await clientOf(first).get("/v1/me")).body.user_id,
      (await clientOf(second).get("/v1/me")).body.user_id,
    ];
    expect(new Set(ids).size, `${first} ${second}: ${ids}`).toBe(2);
  }
});

it("form of an id is refused as the value of a person, so that it cannot name another one", async () => {
  const { user_id } = (await clientOf("eve+1").get("/v1/me")).body;
  expect((await clientOf(user_id).get("/v1/me")).status).toBe(401);
  expect((await backend.onBehalfOf(user_id).get("/v1/me")).status).toBe(400);
  const user = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName: user_id };
  expect((await provider.post("/scim/v2/Users", user)).status).toBe(400);
});
