import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type Capability, capabilities } from "#shared/api/capabilities.ts";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { scopeOf, scopePresets, userScopes } from "#shared/api/scopes.ts";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

const userRoutes = routes.filter(({ auth }) => auth === "jwt");

/** Sends a request that fails at the latest because its id is unknown or its body is empty. */
function call(client: Client, { method, path, body, idempotency }: Route): Promise<ApiResponse> {
  const headers: Record<string, string> = idempotency === "none" ? {} : { "idempotency-key": randomUUID() };
  return client.request(method, path.replace(/\{\w+\+?\}/g, randomUUID()), body && {}, headers);
}

const lacksScope = ({ status, text }: ApiResponse) => status === 403 && text.includes("lacks the scope");
const isRefused = ({ status, text }: ApiResponse) => status === 403 && text.includes("the decision of a person");

describe("API key on /v1", () => {
  const admin = new Client();

  it.each(userScopes)("API key on /v1 with the scope %s can call its routes and no others", async (scope) => {
    const key = await createKeyClient(admin, { scopes: [scope] });
    const wrong: unknown[] = [];
    // Each other scope multiplies the requests.
    const stride = sized({ usual: 16, full: 12, soak: 1 });
    const others = userRoutes.filter((route, index) => scopeOf(route) !== scope && index % stride === 0);
    for (const route of [...userRoutes.filter((each) => scopeOf(each) === scope), ...others]) {
      const response = await call(key, route);
      const isAllowed = scopeOf(route) === scope;
      const outcome = isRefused(response) ? "refused" : lacksScope(response) ? "lacks scope" : response.status;
      const expected = route.keys
        ? outcome === "refused"
        : isAllowed
          ? ![401, 403].includes(response.status)
          : outcome === "lacks scope";
      if (!expected) wrong.push([route.id, outcome]);
    }
    expect(wrong).toEqual([]);
  });
});

describe("API key on /v1", () => {
  let admin: Client;
  beforeAll(() => {
    admin = new Client();
  });

  it("API key on /v1 acts as a service of its tenant, which owns what it creates", async () => {
    const key = await createKeyClient(admin, { preset: "administrator" });
    const me = (await key.get("/v1/me")).body;
    expect(me).toMatchObject({
      user_id: `swk:${key.keyId}`,
      tenant_id: admin.identity.tenant,
      auth_provider: "api_key",
    });
    const conversation = await key.createConversation();
    expect((await key.get(`/v1/conversations/${conversation}`)).body).toMatchObject({ owner_id: me.user_id });
    expect((await admin.get(`/v1/conversations/${conversation}`)).status).toBe(404);
    const frames = await key.chat({ conversation_id: conversation, content: "Hello", tier: "QUICK" });
    expect(frames.at(-1)?.event).toBe("done");
    expect(
      (
        await admin.post(`/v1/chat/${await admin.createConversation()}/share`, {
          user_id: me.user_id,
          permission: "READ",
        })
      ).status,
    ).toBe(201);
  });

  it("API key without a scope of /v1 is refused on /v1 with the error that API keys are not accepted", async () => {
    const key = await createKeyClient(admin, { scopes: ["chat.completions", "models.read"] });
    for (const path of ["/v1/me", "/v1/conversations"]) {
      const { status, body, headers } = await key.get(path);
      expect(body).toMatchObject({
        code: "unauthorized",
        detail: "API keys are not accepted on /v1; send a JWT from your identity provider.",
      });
      expect([status, headers.get("x-ratelimit-limit")]).toEqual([401, "0"]);
    }
    const chat = await key.post("/v1/runtime/chat", {});
    expect([chat.status, chat.body.detail]).toEqual([401, expect.stringContaining("not accepted on /v1")]);
  });

  it("API key on /v1 is refused from the first request after its revocation, on streams too", async () => {
    const key = await createKeyClient(admin, { preset: "chat_backend" });
    const body = { conversation_id: await key.createConversation(), content: "Hello" };
    expect((await key.post("/v1/runtime/chat", body)).status).toBe(200);
    await admin.delete(`/v1/tenant/api-keys/${key.keyId}`);
    expect([(await key.get("/v1/me")).status, (await key.post("/v1/runtime/chat", body)).status]).toEqual([401, 401]);
  });

  it("API key on /v1 is refused after its expiry", async () => {
    const key = await createKeyClient(admin, {
      preset: "read_only",
      expires_at: new Date(Date.now() + 1_500).toISOString(),
    });
    await expect.poll(async () => (await key.get("/v1/me")).status).toBe(401);
  });

  it("API key on /v1 is refused with 403 in requests of web pages whose origin it does not allow", async () => {
    const key = await createKeyClient(admin, { preset: "read_only", allowed_origins: ["https://app.example.com"] });
    const statusFrom = async (origin: string) => (await key.get("/v1/me", { origin })).status;
    expect([await statusFrom("https://app.example.com"), await statusFrom("https://evil.example")]).toEqual([200, 403]);
  });

  it("API key on /v1 can do at most what its creator could, for each permission", async () => {
    const all = Object.keys(capabilities) as Capability[];
    for (const permission of isFullRun ? all : all.slice(-3)) {
      const held = [...new Set<Capability>(["rbac.manage", permission])];
      const role = `maker-${permission}`;
      await admin.post("/v1/roles", { name: role, permissions: held });
      const maker = await createColleague(admin, role);
      const key = await createKeyClient(maker, { preset: "administrator" });
      // More rights of the creator do not extend the key.
      await admin.patch(`/v1/roles/${role}`, { permissions: all });
      expect((await key.get("/v1/rbac/me")).body.permissions.toSorted()).toEqual(held.toSorted());
      const wrong: unknown[] = [];
      for (const route of userRoutes.filter(({ capability, keys }) => capability && !keys)) {
        const isForbidden = (await call(key, route)).status === 403;
        if (isForbidden === held.includes(route.capability as Capability)) wrong.push(route.id);
      }
      expect([permission, wrong]).toEqual([permission, []]);
    }
  });

  it("API key on /v1 loses the rights that its creator loses", async () => {
    await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage", "usage.read"] });
    const key = await createKeyClient(await createColleague(admin, "keeper"), { preset: "read_only" });
    expect((await key.get("/v1/usage")).status).toBe(200);
    await admin.patch("/v1/roles/keeper", { permissions: ["rbac.manage"] });
    expect((await key.get("/v1/usage")).status).toBe(403);
  });

  it("API key on /v1 cannot decide an approval, nor can its creator decide what the key requests", async () => {
    const key = await createKeyClient(admin, { preset: "administrator" });
    const action = { type: "tool_execution", action: { operation: "launch", params: {} } };
    const [byAdmin, byKey] = [await admin.post("/v1/approvals", action), await key.post("/v1/approvals", action)];
    const decide = (client: Client, { body }: ApiResponse) =>
      client.post(`/v1/approvals/${body.id}/decide`, { decision: "approve" });
    expect((await decide(key, byAdmin)).status).toBe(403);
    expect((await decide(admin, byKey)).status).toBe(403);
    expect((await decide(await createColleague(admin, "admin"), byKey)).status).toBe(200);
  });

  it("API key on /v1 cannot administer what other users own", async () => {
    const key = await createKeyClient(admin, { preset: "administrator" });
    const member = await createColleague(admin);
    const { body: persona } = await member.post("/v1/personas", { name: "Mine", visibility: "public" });
    const { body: template } = await member.post("/v1/templates", { name: "Mine", body: "x", visibility: "tenant" });
    expect((await key.patch(`/v1/personas/${persona.id}`, { name: "Stolen" })).status).toBe(403);
    expect((await key.patch(`/v1/templates/${template.id}`, { name: "Stolen" })).status).not.toBe(200);
  });

  it("API key on /v1 is named by the audit trail", async () => {
    const key = await createKeyClient(admin, { preset: "administrator" });
    const conversation = await key.createConversation();
    await expect
      .poll(async () => (await admin.get(`/v1/audit-events?target=${conversation}`)).body.audit_events[0]?.actor)
      .toEqual({ type: "api_key", id: key.keyId });
  });
});

it.each(Object.keys(scopePresets))(
  "API key with the scope preset %s can be created and authenticates requests",
  async (preset) => {
    const key = await createKeyClient(new Client(), { preset });
    expect((await key.get("/v1/me")).status).toBe(200);
  },
);
