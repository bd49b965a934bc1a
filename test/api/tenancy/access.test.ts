import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { capabilities } from "#shared/api/capabilities.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { countStatuses } from "#test/support/people.ts";

const newColleague = (client: Client, roles = "") =>
  new Client({ tenant: client.identity.tenant, user: `u-${randomUUID()}`, roles });

const idempotencyHeaders = () => ({ "idempotency-key": randomUUID() });

it("administration of roles and groups lists three built-in roles and rejects changes to them with 403", async () => {
  const admin = new Client();
  const { body } = await admin.get("/v1/roles");
  expect(body.roles.map(({ name, built_in }: { name: string; built_in: boolean }) => [name, built_in])).toEqual([
    ["admin", true],
    ["member", true],
    ["viewer", true],
  ]);
  for (const response of [
    await admin.post("/v1/roles", { name: "admin", permissions: [] }),
    await admin.patch("/v1/roles/member", { permissions: [] }),
    await admin.delete("/v1/roles/viewer"),
  ]) {
    expect([response.status, response.body.code]).toEqual([403, "forbidden"]);
  }
});

it("permissions of a custom role take effect from the next request on", async () => {
  const admin = new Client();
  const auditor = newColleague(admin, "key-keeper");
  expect((await auditor.get("/v1/tenant/api-keys")).status).toBe(403);
  const createdResponse = await admin.post("/v1/roles", { name: "key-keeper", permissions: ["rbac.manage"] });
  expect([createdResponse.status, createdResponse.headers.get("location")]).toEqual([201, "/v1/roles/key-keeper"]);
  expect((await auditor.get("/v1/tenant/api-keys")).status).toBe(200);
  expect((await admin.post("/v1/roles", { name: "key-keeper", permissions: [] })).status).toBe(409);
  await admin.patch("/v1/roles/key-keeper", { permissions: ["usage.read"] });
  expect((await auditor.get("/v1/tenant/api-keys")).status).toBe(403);
  expect((await auditor.get("/v1/rbac/me")).body).toMatchObject({
    roles: ["key-keeper"],
    permissions: ["usage.read"],
  });
  expect((await admin.delete("/v1/roles/key-keeper")).status).toBe(204);
  expect((await auditor.get("/v1/rbac/me")).body.permissions).toEqual([]);
  expect((await admin.delete("/v1/roles/key-keeper")).status).toBe(404);
});

it("group gives its roles to its current members only", async () => {
  const admin = new Client();
  const person = newColleague(admin, "viewer");
  const { status, body: group } = await admin.post("/v1/groups", {
    name: "Support",
    roles: ["member"],
    member_ids: [person.identity.user, person.identity.user],
  });
  expect([status, group.member_ids]).toEqual([201, [person.identity.user]]);
  const before = (await person.get("/v1/rbac/me")).body;
  expect(before).toMatchObject({ roles: ["viewer", "member"], groups: [{ id: group.id, name: "Support" }] });
  expect(before.permissions).toContain("message.edit");
  await admin.patch(`/v1/groups/${group.id}`, { roles: ["admin"], name: "Ops" });
  expect((await person.get("/v1/rbac/me")).body.permissions).toContain("rbac.manage");
  await admin.patch(`/v1/groups/${group.id}`, { member_ids: [] });
  expect((await person.get("/v1/rbac/me")).body).toMatchObject({ groups: [], permissions: ["message.read"] });
  expect((await admin.get("/v1/groups")).body.groups).toEqual([
    { ...group, name: "Ops", roles: ["admin"], member_ids: [] },
  ]);
  expect((await admin.delete(`/v1/groups/${group.id}`)).status).toBe(204);
  expect((await admin.get("/v1/groups")).body.groups).toEqual([]);
});

it("administration of roles and groups creates one group when concurrent requests use the same name", async () => {
  const admin = new Client();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await admin.post("/v1/groups", { name: "Same" })).status),
  );
  expect(statuses.sort()).toEqual([201, ...Array(19).fill(409)]);
});

it("administration of roles and groups keeps a group and its members' roles consistent when members are changed concurrently", async () => {
  const admin = new Client();
  const { body: group } = await admin.post("/v1/groups", { name: "Crowd", roles: ["member"] });
  const people = Array.from({ length: 5 }, () => newColleague(admin));
  await Promise.all(
    people.map((person) => admin.patch(`/v1/groups/${group.id}`, { member_ids: [person.identity.user] })),
  );
  const [{ member_ids }] = (await admin.get("/v1/groups")).body.groups;
  const membershipCounts = await Promise.all(
    people.map(async (person) => (await person.get("/v1/rbac/me")).body.groups.length),
  );
  expect(member_ids.length).toBe(1);
  expect(membershipCounts.reduce((sum, count) => sum + count, 0)).toBe(1);
});

it("administration of roles and groups applies concurrent renames of a group one after the other or rejects them with a conflict", async () => {
  const admin = new Client();
  const { body: group } = await admin.post("/v1/groups", { name: "Crowd" });
  const statuses = await countStatuses(40, (n) => admin.patch(`/v1/groups/${group.id}`, { name: `Crowd ${n}` }));
  expect(new Set([...statuses.keys(), 409])).toEqual(new Set([200, 409]));
  const groupList = await admin.get("/v1/groups");
  expect((await admin.post("/v1/groups", { name: groupList.body.groups[0].name })).status).toBe(409);
});

it("administration of roles and groups grants only permissions that the caller has", async () => {
  const admin = new Client();
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage", "usage.read"] });
  const keeper = newColleague(admin, "keeper");
  const self = keeper.identity.user;
  const { body: team } = await admin.post("/v1/groups", { name: "Admins", roles: ["admin"] });
  const { body: keepers } = await admin.post("/v1/groups", { name: "Keepers", roles: ["keeper"] });
  await admin.post("/v1/roles", { name: "reader", permissions: ["usage.read"] });
  const refused = [
    await keeper.post("/v1/roles", { name: "mighty", permissions: ["rbac.manage", "audit.read"] }),
    await keeper.patch("/v1/roles/keeper", { permissions: ["rbac.manage", "policy.manage"] }),
    await keeper.post("/v1/groups", { name: "Mine", roles: ["admin"], member_ids: [self] }),
    await keeper.patch(`/v1/groups/${team.id}`, { member_ids: [self] }),
    await keeper.patch(`/v1/groups/${keepers.id}`, { roles: ["keeper", "member"] }),
  ];
  expect(refused.map(({ status }) => status)).toEqual(Array(5).fill(403));
  expect(refused[0]?.body.detail).toContain("audit.read");
  expect((await keeper.get("/v1/rbac/me")).body.permissions.toSorted()).toEqual(["rbac.manage", "usage.read"]);
  const allowed = [
    await keeper.post("/v1/roles", { name: "counter", permissions: ["usage.read"] }),
    await keeper.patch("/v1/roles/reader", { description: "Reads the usage", permissions: [] }),
    await keeper.patch(`/v1/groups/${keepers.id}`, { member_ids: [self], roles: ["keeper", "reader"] }),
    await keeper.patch(`/v1/groups/${team.id}`, { name: "Administrators" }),
  ];
  expect(allowed.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
});

it("role that does not exist yet can be assigned only by a caller with all permissions", async () => {
  const admin = new Client();
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const keeper = newColleague(admin, "keeper");
  const self = keeper.identity.user;
  const { body: keepers } = await admin.post("/v1/groups", { name: "Keepers", roles: ["keeper"] });
  const { body: planned } = await admin.post("/v1/groups", { name: "Planned", roles: ["future"] });
  const refused = [
    await keeper.post("/v1/groups", { name: "Mine", roles: ["future"], member_ids: [self] }),
    await keeper.patch(`/v1/groups/${keepers.id}`, { roles: ["keeper", "future"] }),
    await keeper.patch(`/v1/groups/${planned.id}`, { member_ids: [self] }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  await admin.post("/v1/roles", { name: "future", permissions: ["audit.read"] });
  expect((await keeper.get("/v1/rbac/me")).body.permissions).toEqual(["rbac.manage"]);
});

it("administration of roles and groups requires the permission rbac.manage", async () => {
  const member = new Client(newIdentity("member"));
  for (const response of [
    await member.post("/v1/groups", { name: "x" }),
    await member.post("/v1/roles", { name: "x", permissions: [] }),
    await member.post("/v1/tenant/api-keys", { description: "", scopes: ["models.read"] }, idempotencyHeaders()),
    await member.get("/v1/tenant/embed-keys"),
  ]) {
    expect([response.status, response.body.code]).toEqual([403, "forbidden"]);
  }
  expect((await member.get("/v1/roles")).status).toBe(200);
  expect((await member.get("/v1/permissions")).body.permissions).toHaveLength(Object.keys(capabilities).length);
});

it("/v1/receptor lists the operations that the caller may call", async () => {
  const [admin, viewer] = [new Client(), new Client(newIdentity("viewer"))];
  const adminReceptor = (await admin.get("/v1/receptor")).body;
  const viewerReceptor = (await viewer.get("/v1/receptor")).body;
  expect(Object.values(adminReceptor.operations).every((allowed) => allowed === true)).toBe(true);
  expect(viewerReceptor.operations).toMatchObject({
    createConversation: true,
    createApiKey: false,
    createRole: false,
    listRoles: true,
  });
  expect(viewerReceptor).toMatchObject({
    permissions: ["message.read"],
    tiers: ["QUICK", "THINKING", "RESEARCH", "THOUGHT_PARTNER"],
  });
});

it("API key cannot be created with an unknown scope, and the error lists the valid scopes", async () => {
  for (const scope of ["admin", "endpoint:-x", 7, null]) {
    const body = { description: "", scopes: ["models.read", scope] };
    const response = await new Client().post("/v1/tenant/api-keys", body, idempotencyHeaders());
    const message =
      "must be chat.completions, models.read, endpoint:<slug>, or a scope of /v1 such as conversations.read";
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path: "scopes.1", message }]]);
  }
});

it("API key is shown in full once, is listed without its secret and stays revoked", async () => {
  const admin = new Client();
  const { body: me } = await admin.get("/v1/me");
  const createdResponse = await admin.post(
    "/v1/tenant/api-keys",
    { description: "CI", scopes: ["chat.completions"] },
    idempotencyHeaders(),
  );
  expect(createdResponse.status).toBe(201);
  const { key, ...shown } = createdResponse.body;
  expect(key).toMatch(new RegExp(`^swk_${me.tenant_slug}_[0-9a-f]{32}$`));
  expect(shown).toMatchObject({
    key_prefix: `swk_${me.tenant_slug}`,
    key_hint: key.slice(-4),
    is_revoked: false,
    expires_at: null,
    last_used_at: null,
  });
  expect((await admin.get("/v1/tenant/api-keys")).body).toEqual({ keys: [shown] });
  const path = `/v1/tenant/api-keys/${shown.id}`;
  expect((await new Client().delete(path)).status).toBe(404);
  expect((await admin.delete(path)).status).toBe(204);
  expect((await admin.delete(path)).status).toBe(404);
  expect((await admin.get("/v1/tenant/api-keys")).body.keys).toEqual([{ ...shown, is_revoked: true }]);
});

it("API key is returned again when the request that created it is retried", async () => {
  const admin = new Client();
  const headers = idempotencyHeaders();
  const body = { description: "", scopes: ["models.read"] };
  const first = await admin.post("/v1/tenant/api-keys", body, headers);
  const secondResponse = await admin.post("/v1/tenant/api-keys", body, headers);
  expect(secondResponse.body).toEqual(first.body);
  expect([first.headers.get("idempotent-replayed"), secondResponse.headers.get("idempotent-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect((await admin.get("/v1/tenant/api-keys")).body.keys.length).toBe(1);
});

it.each([
  [{ description: "x", scopes: [] }, "scopes"],
  [{ description: "x" }, "scopes"],
  [{ description: "x", scopes: ["everything"] }, "scopes.0"],
  [{ description: "x", scopes: ["endpoint:"] }, "scopes.0"],
  [{ description: "x", scopes: ["models.read"], expires_at: "tomorrow" }, "expires_at"],
  [{ description: "x", scopes: ["models.read"], expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
])("API key cannot be created with the invalid request body %j", async (body, path) => {
  const response = await new Client().post("/v1/tenant/api-keys", body, idempotencyHeaders());
  expect([response.status, response.body.errors[0].path]).toEqual([400, path]);
});

it("embed key of a website is created, changed and revoked", async () => {
  const admin = new Client();
  const createdResponse = await admin.post("/v1/tenant/embed-keys", {
    name: "Site",
    allowed_origins: ["https://example.com"],
  });
  const { key, visitor_secret, ...shown } = createdResponse.body;
  expect([createdResponse.status, key]).toEqual([201, expect.stringMatching(/^swe_[a-z0-9]{8}_[0-9a-f]{32}$/)]);
  expect(visitor_secret).toMatch(/^[0-9a-f]{64}$/);
  const path = `/v1/tenant/embed-keys/${shown.id}`;
  const updatedResponse = await admin.patch(path, {
    allowed_origins: ["http://localhost:3000"],
    theme: { accent: "#123456" },
  });
  expect(updatedResponse.body).toEqual({
    ...shown,
    allowed_origins: ["http://localhost:3000"],
    theme: { accent: "#123456" },
  });
  expect((await admin.delete(path)).status).toBe(204);
  expect((await admin.patch(path, { name: "x" })).status).toBe(404);
  // Browsers omit default ports in `Origin` and never send invalid ones.
  const invalidOrigins = [
    "https://example.com:443",
    "http://example.com:80",
    "https://example.com:99999",
    "https://a..b:0x",
  ];
  for (const allowed_origins of [
    [],
    ["example.com"],
    ["https://example.com/"],
    ["*"],
    ...invalidOrigins.map((origin) => [origin]),
  ]) {
    expect((await admin.post("/v1/tenant/embed-keys", { name: "x", allowed_origins })).status).toBe(400);
  }
});
