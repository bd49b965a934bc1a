import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCredentialAhead } from "#shared/dynamodb/read-ahead.ts";
import { systemTable, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let engine: MeteredTable;
let count = 0;

beforeAll(async () => {
  engine = await startMeteredTable();
});

afterAll(() => engine.stop());

/** Creates a credential of a tenant with a policy and two endpoints. */
async function createTenant() {
  const tenantId = `t${++count}`;
  const credential = { pk: `~credential#${tenantId}`, sk: "credential" };
  const policy = { pk: `${tenantId}#policy`, sk: "policy" };
  const endpoints = ["one", "two"].map((sk) => ({ pk: `${tenantId}#endpoints`, sk }));
  for (const item of [credential, policy, ...endpoints]) await systemTable().write({ put: { ...item, version: 1 } });
  return { tenantId, credential, policy, endpoints };
}

type Tenant = Awaited<ReturnType<typeof createTenant>>;

/** Authenticates a request, and reads items with its principal. */
async function request({ tenantId, credential }: Tenant, ...keys: Tenant["endpoints"]) {
  const { item, attachTo } = await readCredentialAhead(systemTable(), credential);
  const principal = { tenantId };
  attachTo(principal);
  const items = await Promise.all(keys.map((key) => tenantTable(principal).get(key, { consistent: true })));
  return { item, principal, items };
}

it("lookup of a credential also fetches, in the same call, the items that earlier requests with this credential needed", async () => {
  const tenant = await createTenant();
  const [endpoint] = tenant.endpoints as [Tenant["policy"]];
  const read = () => request(tenant, tenant.policy, endpoint);
  const callsOf = async () => (await engine.measure(read)).calls;
  expect([await callsOf(), await callsOf(), await callsOf()]).toEqual([2, 2, 1]);
  const { item, items } = await read();
  expect(item).toMatchObject(tenant.credential);
  expect(items).toMatchObject([tenant.policy, endpoint]);
});

it("lookup of a credential fetches the current data of items that requests need, and no data of an earlier request", async () => {
  const tenant = await createTenant();
  for (let n = 0; n < 3; n++) await request(tenant, tenant.policy);
  await systemTable().write({ update: tenant.policy, set: { version: 2 } });
  expect((await request(tenant, tenant.policy)).items[0]).toMatchObject({ version: 2 });
  await systemTable().write({ delete: tenant.policy });
  expect((await request(tenant, tenant.policy)).items[0]).toBeUndefined();
  await systemTable().write({ delete: tenant.credential });
  expect((await request(tenant)).item).toBeUndefined();
});

it("lookup of a credential serves each item that it also fetched only once and only for one second", async () => {
  const tenant = await createTenant();
  for (let n = 0; n < 3; n++) await request(tenant, tenant.policy);
  const { principal } = await request(tenant, tenant.policy);
  await systemTable().write({ update: tenant.policy, set: { version: 2 } });
  expect(await tenantTable(principal).get(tenant.policy, { consistent: true })).toMatchObject({ version: 2 });
  const later = await request(tenant);
  await systemTable().write({ update: tenant.policy, set: { version: 3 } });
  await sleep(1_100);
  expect(await tenantTable(later.principal).get(tenant.policy, { consistent: true })).toMatchObject({ version: 3 });
});

it("items that the lookup of a credential reads ahead are served to no other principal than that of the request", async () => {
  const tenant = await createTenant();
  for (let n = 0; n < 3; n++) await request(tenant, tenant.policy);
  await request(tenant);
  const { calls } = await engine.measure(() =>
    tenantTable({ tenantId: tenant.tenantId }).get(tenant.policy, { consistent: true }),
  );
  expect(calls).toBe(1);
});

it("lookup of a credential no longer fetches items that requests with this credential have stopped reading", async () => {
  const tenant = await createTenant();
  for (let n = 0; n < 3; n++) await request(tenant, tenant.policy);
  for (let n = 0; n < 20; n++) await request(tenant);
  const unused = await engine.measure(() => request(tenant));
  const { read } = await engine.measure(() => systemTable().get(tenant.credential, { consistent: true }));
  expect(unused.read).toBe(read);
});
