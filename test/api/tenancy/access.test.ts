import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { countStatuses } from "#test/support/people.ts";

const colleagueOf = (client: Client, roles = "") =>
  new Client({ tenant: client.identity.tenant, user: `u-${randomUUID()}`, roles });

const idempotent = () => ({ "idempotency-key": randomUUID() });

describe("roles and groups", () => {
  it("has three built-in roles, which cannot be changed", async () => {
    const admin = new Client();
    const { body } = await admin.get("/v1/roles");
    expect(body.roles.map(({ name, built_in }: { name: string; built_in: boolean }) => [name, built_in])).toEqual([
      ["admin", true],
      ["member", true],
      ["viewer", true],
    ]);
    for (const answer of [
      await admin.post("/v1/roles", { name: "admin", permissions: [] }),
      await admin.patch("/v1/roles/member", { permissions: [] }),
      await admin.delete("/v1/roles/viewer"),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
    }
  });

  it("gives a custom role's permissions to who has its name, from the next request on", async () => {
    const admin = new Client();
    const auditor = colleagueOf(admin, "key-keeper");
    expect((await auditor.get("/v1/tenant/api-keys")).status).toBe(403);
    const made = await admin.post("/v1/roles", { name: "key-keeper", permissions: ["rbac.manage"] });
    expect([made.status, made.headers.get("location")]).toEqual([201, "/v1/roles/key-keeper"]);
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

  it("adds a group's roles to its members, and takes them away", async () => {
    const admin = new Client();
    const person = colleagueOf(admin, "viewer");
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

  it("has one group of a name, however many try at once", async () => {
    const admin = new Client();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await admin.post("/v1/groups", { name: "Same" })).status),
    );
    expect(statuses.sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it("loses no member when many change a group at once", async () => {
    const admin = new Client();
    const { body: group } = await admin.post("/v1/groups", { name: "Crowd", roles: ["member"] });
    const people = Array.from({ length: 5 }, () => colleagueOf(admin));
    await Promise.all(
      people.map((person) => admin.patch(`/v1/groups/${group.id}`, { member_ids: [person.identity.user] })),
    );
    const [{ member_ids }] = (await admin.get("/v1/groups")).body.groups;
    const inside = await Promise.all(
      people.map(async (person) => (await person.get("/v1/rbac/me")).body.groups.length),
    );
    expect(member_ids.length).toBe(1);
    expect(inside.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it("is changed by one after the other, and who comes off badly may try again", async () => {
    const admin = new Client();
    const { body: group } = await admin.post("/v1/groups", { name: "Crowd" });
    const statuses = await countStatuses(40, (n) => admin.patch(`/v1/groups/${group.id}`, { name: `Crowd ${n}` }));
    expect(new Set([...statuses.keys(), 409])).toEqual(new Set([200, 409]));
    const named = await admin.get("/v1/groups");
    expect((await admin.post("/v1/groups", { name: named.body.groups[0].name })).status).toBe(409);
  });

  it("administration needs rbac.manage", async () => {
    const member = new Client(newIdentity("member"));
    for (const answer of [
      await member.post("/v1/groups", { name: "x" }),
      await member.post("/v1/roles", { name: "x", permissions: [] }),
      await member.post("/v1/tenant/api-keys", { description: "", scopes: ["models.read"] }, idempotent()),
      await member.get("/v1/tenant/embed-keys"),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
    }
    expect((await member.get("/v1/roles")).status).toBe(200);
    expect((await member.get("/v1/permissions")).body.permissions.length).toBe(12);
  });
});

describe("the receptor", () => {
  it("says what the caller may call, from the same table that enforces it", async () => {
    const [admin, viewer] = [new Client(), new Client(newIdentity("viewer"))];
    const everything = (await admin.get("/v1/receptor")).body;
    const little = (await viewer.get("/v1/receptor")).body;
    expect(Object.values(everything.operations).every((allowed) => allowed === true)).toBe(true);
    expect(little.operations).toMatchObject({
      createConversation: true,
      createApiKey: false,
      createRole: false,
      listRoles: true,
    });
    expect(little).toMatchObject({
      permissions: ["message.read"],
      tiers: ["QUICK", "THINKING", "RESEARCH", "THOUGHT_PARTNER"],
    });
  });
});

describe("API keys", () => {
  it("are told which scopes there are", async () => {
    for (const scope of ["admin", "endpoint:-x", 7, null]) {
      const body = { description: "", scopes: ["models.read", scope] };
      const answer = await new Client().post("/v1/tenant/api-keys", body, idempotent());
      const message = "must be chat.completions, models.read or endpoint:<slug>";
      expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path: "scopes.1", message }]]);
    }
  });

  it("are shown once, listed without the key, and revoked for good", async () => {
    const admin = new Client();
    const { body: me } = await admin.get("/v1/me");
    const made = await admin.post(
      "/v1/tenant/api-keys",
      { description: "CI", scopes: ["chat.completions"] },
      idempotent(),
    );
    expect(made.status).toBe(201);
    const { key, ...shown } = made.body;
    expect(key).toMatch(new RegExp(`^swk_${me.tenant_slug}_[0-9a-f]{32}$`));
    expect(shown).toMatchObject({
      key_prefix: `swk_${me.tenant_slug}`,
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

  it("repeat the same key for a retry", async () => {
    const admin = new Client();
    const headers = idempotent();
    const body = { description: "", scopes: ["models.read"] };
    const first = await admin.post("/v1/tenant/api-keys", body, headers);
    const again = await admin.post("/v1/tenant/api-keys", body, headers);
    expect(again.body).toEqual(first.body);
    expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
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
  ])("%j is refused", async (body, path) => {
    const answer = await new Client().post("/v1/tenant/api-keys", body, idempotent());
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, path]);
  });
});

describe("embed keys", () => {
  it("are created, changed and revoked", async () => {
    const admin = new Client();
    const made = await admin.post("/v1/tenant/embed-keys", { name: "Site", allowed_origins: ["https://example.com"] });
    const { key, visitor_secret, ...shown } = made.body;
    expect([made.status, key]).toEqual([201, expect.stringMatching(/^swe_[a-z0-9]{8}_[0-9a-f]{32}$/)]);
    expect(visitor_secret).toMatch(/^[0-9a-f]{64}$/);
    const path = `/v1/tenant/embed-keys/${shown.id}`;
    const changed = await admin.patch(path, {
      allowed_origins: ["http://localhost:3000"],
      theme: { accent: "#123456" },
    });
    expect(changed.body).toEqual({
      ...shown,
      allowed_origins: ["http://localhost:3000"],
      theme: { accent: "#123456" },
    });
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.patch(path, { name: "x" })).status).toBe(404);
    // No browser sends the usual port, nor one that there is not.
    const none = ["https://example.com:443", "http://example.com:80", "https://example.com:99999", "https://a..b:0x"];
    for (const allowed_origins of [
      [],
      ["example.com"],
      ["https://example.com/"],
      ["*"],
      ...none.map((each) => [each]),
    ]) {
      expect((await admin.post("/v1/tenant/embed-keys", { name: "x", allowed_origins })).status).toBe(400);
    }
  });
});
