import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keys } from "#shared/dynamodb/keys.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { openInstanceTable } from "#test/support/tables/instance-table.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

const pathOf = (client: Client) => `/v1/admin/tenants/${client.identity.tenant}`;

/** Creates a tenant before its first user signs in. */
async function createTenant(operator: Operator, properties: object = {}): Promise<Client> {
  const client = new Client(newIdentity(), operator.baseUrl);
  const created = await operator.post("/v1/admin/tenants", { id: client.identity.tenant, ...properties });
  expect(created.status, created.text).toBe(201);
  return client;
}

const colleagueOf = ({ identity, baseUrl }: Client, user: string) =>
  new Client({ tenant: identity.tenant, user, roles: "member" }, baseUrl);

it("tenant is created, shown, listed and changed by the operator with the deployment key", async () => {
  const operator = new Operator();
  const client = await createTenant(operator, { name: "Harbor", plan: "pro", limits: { requests_per_minute: 500 } });
  const id = client.identity.tenant;
  const created = (await operator.get(pathOf(client))).body;
  expect(created).toMatchObject({
    ...{ id, name: "Harbor", plan: "pro", limits: { requests_per_minute: 500 } },
    ...{ status: "active", suspended_at: null, deletion: null },
  });
  expect((await client.get("/v1/me")).headers.get("x-ratelimit-limit")).toBe("500");
  const again = await operator.post("/v1/admin/tenants", { id, name: "Other" });
  expect([again.status, again.body.code]).toEqual([409, "conflict"]);
  const changed = await operator.patch(pathOf(client), {
    plan: null,
    limits: { requests_per_minute: null, members: 9 },
  });
  expect(changed.body).toEqual({ ...created, plan: null, limits: { members: 9 } });
  const listed: unknown[] = [];
  for (let cursor = ""; !listed.includes(id); ) {
    const { body } = await operator.get(`/v1/admin/tenants?limit=100${cursor}`);
    listed.push(...body.tenants.map((tenant: { id: string }) => tenant.id));
    if (!listed.includes(id) && body.next_cursor === null) throw new Error("The list lacks the tenant");
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect((await operator.get(`/v1/admin/tenants/${randomUUID()}`)).status).toBe(404);
  expect((await operator.patch(`/v1/admin/tenants/${randomUUID()}`, { plan: "x" })).status).toBe(404);
  for (const body of [{ id: "a b" }, { id, limits: { requests_per_minute: 0 } }, { id, limits: { seats: 1 } }]) {
    expect((await operator.post("/v1/admin/tenants", body)).status).toBe(400);
  }
});

it("tenant that the operator did not create exists after its first request, and the operator can read it", async () => {
  const [operator, client] = [new Operator(), new Client(newIdentity())];
  expect((await operator.get(pathOf(client))).status).toBe(404);
  await client.get("/v1/me");
  expect((await operator.get(pathOf(client))).body).toMatchObject({
    name: null,
    plan: null,
    limits: {},
    status: "active",
  });
});

it("administration of tenants is refused to every credential except the deployment key", async () => {
  const operator = new Operator();
  const client = await createTenant(operator);
  const key = await createKeyClient(client, { preset: "administrator" });
  const wrong = [client.headers, key.headers, { authorization: "Bearer x" }, { authorization: "Bearer " }];
  for (const headers of wrong) {
    for (const [method, path] of [
      ["GET", "/v1/admin/tenants"],
      ["PATCH", pathOf(client)],
    ] as const) {
      const response = await fetch(operator.baseUrl + path, { method, headers: headers as Record<string, string> });
      expect([path, response.status]).toEqual([path, 401]);
    }
  }
});

it("tenant admits members up to its limit, and more when a member is deactivated or the limit is raised", async () => {
  const operator = new Operator();
  const client = await createTenant(operator, { limits: { members: 2 } });
  expect((await client.get("/v1/me")).status).toBe(200);
  const [alice, bob] = [colleagueOf(client, "alice"), colleagueOf(client, "bob")];
  expect((await alice.get("/v1/me")).status).toBe(200);
  const refused = await bob.get("/v1/me");
  expect([refused.status, refused.body.detail]).toEqual([403, "This organization has reached its limit of 2 members."]);
  // The service of a key is no member.
  expect((await (await createKeyClient(client, { preset: "administrator" })).get("/v1/me")).status).toBe(200);
  expect((await client.patch("/v1/tenant/users/alice", { is_active: false })).status).toBe(200);
  expect((await client.patch("/v1/tenant/users/alice", { is_active: false })).status).toBe(200);
  expect((await bob.get("/v1/me")).status).toBe(200);
  expect((await client.patch("/v1/tenant/users/alice", { is_active: true })).status).toBe(403);
  expect((await colleagueOf(client, "carol").get("/v1/me")).status).toBe(403);
  await operator.patch(pathOf(client), { limits: { members: 3 } });
  await expect.poll(async () => (await colleagueOf(client, "carol").get("/v1/me")).status, { interval: 500 }).toBe(200);
  expect((await colleagueOf(client, "dora").get("/v1/me")).status).toBe(403);
});

it("tenant admits no more members than its limit when they arrive at the same time", async () => {
  const operator = new Operator();
  const client = await createTenant(operator, { limits: { members: 5 } });
  const people = Array.from({ length: 20 }, (_, index) => colleagueOf(client, `person-${index}`));
  const statuses = await Promise.all(people.map(async (person) => (await person.get("/v1/me")).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 403)).toHaveLength(15);
});

it("tenant stores documents and files up to its limits, and more after a deletion", async () => {
  const operator = new Operator();
  const client = await createTenant(operator, { limits: { documents: 2, storage_bytes: 100 } });
  const { id } = (await client.post("/v1/knowledge/collections", { name: "Tides" })).body;
  const path = `/v1/knowledge/collections/${id}`;
  const add = (bytes: number) => client.post(`${path}/documents`, { title: "Tides", text: "x".repeat(bytes) });
  const first = await add(40);
  expect(first.status, first.text).toBe(201);
  const large = await client.post(`${path}/uploads`, { file_name: "tides.txt", size: 61 });
  expect([large.status, large.body.code, large.body.storage]).toEqual([
    409,
    "storage_full",
    { unit: "bytes", used: 40, added: 61, limit: 100 },
  ]);
  expect((await client.post(`${path}/uploads`, { file_name: "tides.txt", size: 30 })).status).toBe(201);
  const third = await add(1);
  expect([third.status, third.body.storage.unit, third.body.detail]).toEqual([
    409,
    "documents",
    "This organization stores 2 documents and may store 2; 1 more would exceed that. Delete documents, or ask the operator of the service for a higher limit.",
  ]);
  const attachments = `/v1/conversations/${await client.createConversation()}/attachments`;
  expect((await client.post(attachments, { file_name: "a.txt", size: 31 })).body.code).toBe("storage_full");
  expect((await client.post(attachments, { file_name: "a.txt", size: 30 })).status).toBe(201);
  const storage = { documents: { used: 2, limit: 2 }, bytes: { used: 100, limit: 100 } };
  expect((await client.get("/v1/me/limits")).body.storage).toEqual(storage);
  expect((await client.get("/v1/usage")).body.storage).toEqual(storage);
  expect((await operator.get(`${pathOf(client)}/usage`)).body.storage).toEqual(storage);
  expect((await client.delete(`${path}/documents/${first.body.id}`)).status).toBe(204);
  await expect.poll(async () => (await client.get("/v1/me/limits")).body.storage.bytes.used).toBe(60);
  expect((await add(40)).status).toBe(201);
});

it("audit trail of a tenant names the operator", async () => {
  const operator = new Operator();
  const client = await createTenant(operator, { name: "Harbor" });
  await operator.patch(pathOf(client), { limits: { members: 7 } });
  await operator.patch(pathOf(client), { suspended: true });
  await operator.patch(pathOf(client), { suspended: false });
  const actions = async () => {
    const { body } = await client.get(`/v1/audit-events?target=${client.identity.tenant}`);
    return body.audit_events?.map((event: { action: string; actor: object }) => [event.action, event.actor]) ?? [];
  };
  const actor = { type: "deployment", id: "key" };
  const expected = ["tenant.resumed", "tenant.suspended", "tenant.updated", "tenant.created"];
  await expect.poll(actions).toEqual(expected.map((action) => [action, actor]));
});

it("tenant's usage appears in the operator's usage reports with the id of the tenant", async () => {
  const operator = new Operator();
  const client = await createTenant(operator, { name: "Harbor" });
  await client.chat({ conversation_id: await client.createConversation(), content: "Hello", tier: "QUICK" });
  const own = async () => (await client.get("/v1/usage")).body;
  await expect.poll(async () => (await own()).totals.requests).toBeGreaterThan(0);
  const { body } = await operator.get(`${pathOf(client)}/usage`);
  expect(body.totals.requests).toBeGreaterThan(0);
  expect(body.usage.map(({ day }: { day: string }) => day)).toEqual(
    (await own()).usage.map(({ day }: { day: string }) => day),
  );
  expect((await operator.get(`/v1/admin/tenants/${randomUUID()}/usage`)).status).toBe(404);
  expect((await operator.get(`${pathOf(client)}/usage?from=2026-02-01&to=2026-01-01`)).status).toBe(400);
  const rows: { tenant_id: string; name: string; requests: number }[] = [];
  for (let cursor = ""; !rows.some(({ tenant_id }) => tenant_id === client.identity.tenant); ) {
    const page = (await operator.get(`/v1/admin/usage?limit=25${cursor}`)).body;
    rows.push(...page.tenants);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  const row = rows.find(({ tenant_id }) => tenant_id === client.identity.tenant);
  expect(row).toMatchObject({ name: "Harbor", requests: body.totals.requests });
});

let proxy: TableProxy;
let service: Switchboard;
beforeAll(async () => {
  proxy = await startTableProxy();
  service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: proxy.endpoint, TENANT_CREATION: "api" } });
});
afterAll(async () => {
  await service?.stop();
  await proxy?.stop();
});

it("deployment with TENANT_CREATION=api serves only tenants that the operator created, and stores nothing of other tenants", async () => {
  const operator = new Operator(readDeploymentKey(service), service.baseUrl);
  const [stranger, client] = [new Client(newIdentity(), service.baseUrl), await createTenant(operator)];
  const refused = await stranger.get("/v1/me");
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  expect((await client.get("/v1/me")).status).toBe(200);
  const { tenant, user } = stranger.identity;
  const table = openInstanceTable(proxy);
  expect(await table.getMany([keys.tenant(tenant), keys.user(tenant, user)])).toEqual([]);
});
