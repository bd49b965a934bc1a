import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { waitForAuditEvents } from "#test/support/governance/audit.ts";
import {
  type IdentityProvider,
  newSigningKey,
  type SigningKey,
  startIdentityProvider,
} from "#test/support/identity-provider.ts";
import { createColleague } from "#test/support/people.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";
import { forEachMessenger } from "#test/support/tenant-resources.ts";

it("list of users names the users of the tenant with their roles and groups, page by page", async () => {
  const admin = new Client();
  const colleagues = [await createColleague(admin), await createColleague(admin, "viewer")];
  const [first] = colleagues;
  const { body: group } = await admin.post("/v1/groups", { name: "Team", member_ids: [first?.identity.user] });
  const key = await createKeyClient(admin, { preset: "read_only" });
  await key.get("/v1/me");
  const users: { id: string }[] = [];
  let cursor = "";
  do {
    const { body } = await admin.get(`/v1/tenant/users?limit=2${cursor && `&cursor=${cursor}`}`);
    users.push(...body.users);
    cursor = body.next_cursor;
  } while (cursor);
  const ids = [admin, ...colleagues].map(({ identity }) => identity.user);
  expect(users.map(({ id }) => id)).toEqual([...ids, `swk:${key.keyId}`].toSorted());
  expect(users.find(({ id }) => id === first?.identity.user)).toMatchObject({
    roles: ["member"],
    groups: [{ id: group.id, name: "Team" }],
    is_active: true,
    last_seen_at: expect.stringMatching(/Z$/),
  });
  expect((await new Client().get("/v1/tenant/users")).body.users).toHaveLength(1);
});

it("list of users names each person after a first request, whichever list or setting the person reads", async () => {
  const admin = new Client();
  await admin.get("/v1/me");
  const { tenant } = admin.identity;
  const targets = forEachMessenger(routes)
    .filter(({ auth, method, path }) => auth === "jwt" && method === "GET" && !path.includes("{"))
    // A list of what belongs to something else is read with its id.
    .filter(({ query }) => !query || v.is(query, { q: "tides" }))
    .map(({ path, query }) => (query && !v.is(query, {}) ? `${path}?q=tides` : path));
  const newcomers = await mapConcurrent(
    targets,
    async (target) => {
      const newcomer = new Client({ ...newIdentity(), tenant });
      return { target, id: newcomer.identity.user, status: (await newcomer.get(target)).status };
    },
    8,
  );
  const { body } = await admin.get("/v1/tenant/users?limit=100");
  const listed = new Set(body.users.map(({ id }: { id: string }) => id));
  expect(newcomers.filter(({ id, status }) => status !== 200 || !listed.has(id))).toEqual([]);
  expect(listed.size).toBe(targets.length + 1);
});

it("list of users cannot be read or changed without rbac.manage", async () => {
  const admin = new Client();
  const member = await createColleague(admin);
  const path = `/v1/tenant/users/${admin.identity.user}`;
  const responses = [
    await member.get("/v1/tenant/users"),
    await member.get(path),
    await member.patch(path, { is_active: false }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
});

it("deactivation of a user is refused for the caller, the creator of the key, users with more permissions and unknown users", async () => {
  const admin = new Client();
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const keeper = await createColleague(admin, "keeper");
  const key = await createKeyClient(keeper, { preset: "administrator" });
  const deactivate = async (client: Client, id: string) =>
    (await client.patch(`/v1/tenant/users/${id}`, { is_active: false })).status;
  expect(await deactivate(keeper, keeper.identity.user)).toBe(403);
  expect(await deactivate(key, keeper.identity.user)).toBe(403);
  expect(await deactivate(keeper, admin.identity.user)).toBe(403);
  expect(await deactivate(admin, randomUUID())).toBe(404);
  expect(await deactivate(admin, keeper.identity.user)).toBe(200);
});

it("directory of colleagues names the people of the tenant to every user, without addresses, roles and services, page by page", async () => {
  const admin = new Client();
  const viewer = await createColleague(admin, "viewer");
  const provider = await createKeyClient(admin, { preset: "administrator" });
  const user = { userName: "ann@example.com", externalId: "ann", displayName: "Ann Lee", active: false };
  await provider.post("/scim/v2/Users", { ...user, emails: [{ value: user.userName }] });
  const people: { id: string }[] = [];
  let cursor = "";
  do {
    const { body, text } = await viewer.get(`/v1/tenant/people?limit=1${cursor && `&cursor=${cursor}`}`);
    expect(text).not.toMatch(/example\.com|roles|last_seen/);
    people.push(...body.people);
    cursor = body.next_cursor;
  } while (cursor);
  const others = [admin, viewer].map(({ identity }) => ({
    id: identity.user,
    external_id: identity.user,
    name: null,
    is_active: true,
  }));
  expect(people).toEqual([
    { id: "ann", external_id: "ann", name: "Ann Lee", is_active: false },
    ...others.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  ]);
  const list = (await admin.get("/v1/tenant/users")).body.users;
  expect(list.find(({ id }: { id: string }) => id === "ann")).toMatchObject({ is_provisioned: true });
});

let provider: IdentityProvider;
const clock = createMovableClock();
let service: Switchboard;
let key: SigningKey;
const tenant = `t-${randomUUID()}`;

beforeAll(async () => {
  key = await newSigningKey("first");
  provider = await startIdentityProvider([key]);
  service = await startSwitchboard({ env: provider.env, nodeOptions: [clock.nodeOption] });
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

async function signIn(uid: string, role: string): Promise<Client> {
  const token = await new SignJWT({
    tenant_id: tenant,
    uid,
    roles: [role],
    name: `Name of ${uid}`,
    email: `${uid}@example.com`,
  })
    .setProtectedHeader({ alg: "RS256", kid: "first" })
    .setIssuer(provider.issuer)
    .setAudience(provider.audience)
    .setExpirationTime("5m")
    .sign(key.privateKey);
  const client = new Client({ tenant, user: uid }, service.baseUrl);
  Object.assign(client.headers, { authorization: `Bearer ${token}` });
  return client;
}

it("deactivated user gets 403 within 30 seconds with every credential, and works again afterwards", async () => {
  const [boss, admin, alice] = [
    await signIn("boss", "admin"),
    await signIn("ada", "admin"),
    await signIn("alice", "member"),
  ];
  const backend = await createKeyClient(boss, { preset: "chat_backend" });
  const adminKey = await createKeyClient(admin, { preset: "administrator" });
  await alice.get("/v1/me");
  expect((await boss.get("/v1/tenant/users/alice")).body).toMatchObject({
    id: "alice",
    name: "Name of alice",
    email: "alice@example.com",
  });
  const conversation = await alice.createConversation();
  const customer = backend.onBehalfOf("customer-1");
  const customerConversation = await customer.createConversation();
  const exchanged = await backend.post("/v1/tokens", {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: "customer-1",
    subject_token_type: "urn:switchboard:token-type:user-id",
  });
  const page = new Client({ tenant, user: "customer-1" }, service.baseUrl);
  Object.assign(page.headers, { authorization: `Bearer ${exchanged.body.access_token}` });
  const question = { conversation_id: conversation, content: "Hello", tier: "QUICK" };
  const attempts = [
    () => alice.get("/v1/me"),
    () => alice.post("/v1/runtime/chat", question),
    () => customer.get("/v1/me"),
    () => page.get("/v1/me"),
    () => page.post("/v1/runtime/chat", { ...question, conversation_id: customerConversation }),
    () => adminKey.get("/v1/me"),
  ];
  const statuses = () => Promise.all(attempts.map(async (attempt) => (await attempt()).status));
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200]);
  for (const id of ["alice", "ada", "customer-1"]) await boss.patch(`/v1/tenant/users/${id}`, { is_active: false });
  clock.advance(30_000);
  await expect.poll(statuses, { interval: 1_000 }).toEqual([403, 403, 403, 403, 403, 403]);
  const [event] = await waitForAuditEvents(boss, "alice", ["user.deactivated"]);
  expect(event).toMatchObject({ action: "user.deactivated", actor: { type: "user", id: "boss" } });
  for (const id of ["alice", "ada", "customer-1"]) await boss.patch(`/v1/tenant/users/${id}`, { is_active: true });
  clock.advance(30_000);
  await expect.poll(statuses, { interval: 1_000 }).toEqual([200, 200, 200, 200, 200, 200]);
});

it("first sign-in of a person ends what API keys and their access tokens can do within 30 seconds, and the person sees the keys", async () => {
  const [admin, person] = [await signIn("boss", "admin"), await signIn("customer-2", "member")];
  const key = await createKeyClient(admin, { preset: "chat_backend" });
  const customer = key.onBehalfOf("customer-2");
  const conversation = await customer.createConversation();
  const { body: token } = await key.post("/v1/tokens", {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: "customer-2",
    subject_token_type: "urn:switchboard:token-type:user-id",
  });
  const page = new KeyClient(admin, key.keyId, token.access_token);
  const path = `/v1/conversations/${conversation}`;
  const statuses = () => Promise.all([customer, page].map(async (client) => (await client.get(path)).status));
  expect(await statuses()).toEqual([200, 200]);
  expect((await person.get("/v1/me")).body.acting_keys).toEqual([
    { key_id: key.keyId, last_used_at: expect.any(String) },
  ]);
  clock.advance(30_000);
  expect(await statuses()).toEqual([403, 403]);
  expect((await person.get(path)).status).toBe(200);
});

it("share links of a deactivated user are closed until the reactivation or by the policy, and an administrator lists and revokes them", async () => {
  const [admin, owner, colleague] = [
    await signIn("boss", "admin"),
    await signIn("lena", "member"),
    await signIn("mona", "member"),
  ];
  await colleague.get("/v1/me");
  const conversation = await owner.createConversation();
  const { body: link } = await owner.post(`/v1/chat/${conversation}/share-link`, { expires_in: "1h" });
  const open = async () => (await fetch(service.baseUrl + new URL(link.url, service.baseUrl).pathname)).status;
  const setActive = async (is_active: boolean) => {
    await admin.patch("/v1/tenant/users/lena", { is_active });
    clock.advance(30_000);
  };
  expect(await open()).toBe(200);
  await setActive(false);
  expect(await open()).toBe(410);
  const { body: policy, headers } = await admin.get("/v1/policy");
  const sharing = { keep_links_of_deactivated_users: true };
  await admin.put("/v1/policy", { ...policy, sharing }, { "if-match": headers.get("etag") ?? "" });
  clock.advance(30_000);
  expect(await open()).toBe(200);
  const listed = (await admin.get("/v1/tenant/users/lena")).body.share_links;
  expect(listed).toMatchObject([{ link_id: link.link_id, conversation_id: conversation, status: "active" }]);
  expect(JSON.stringify(listed)).not.toContain("hash");
  const path = `/v1/chat/${conversation}/share-links/${link.link_id}`;
  expect((await colleague.delete(path)).status).toBe(404);
  expect((await admin.delete(path)).status).toBe(204);
  expect(await open()).toBe(410);
  expect((await admin.get("/v1/tenant/users/lena")).body.share_links).toEqual([]);
});
