import { afterAll, beforeAll, expect, it } from "vitest";
import { activateIssuer, createIssuer, deleteIssuer, findIssuer } from "#shared/tenancy/issuers/issuer-store.ts";
import { getOrCreateTenant, requireIssuer } from "#shared/tenancy/tenant-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
const scope = { tenantId: "harbor" };
const claims = { user_id: "sub", name: null, email: null, roles: null, groups: null };
const issuer = {
  id: "01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e",
  issuer: "https://identity.example.com",
  audience: "chat",
  jwks_url: "https://identity.example.com/keys",
  claims,
  status: "pending" as const,
  nonce: "n",
  created_at: "2026-11-25T12:00:00.000Z",
  created_by: "ann",
};

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it("identity provider of a tenant is accepted although the cached tenant was read before it was added, and refused after its removal", async () => {
  const before = await getOrCreateTenant(scope);
  await createIssuer(scope, issuer);
  await activateIssuer(scope, issuer);
  await requireIssuer(scope, before, issuer.id);
  expect(await findIssuer(issuer.issuer, ["other", "chat"])).toMatchObject({ tenantId: "harbor", id: issuer.id });
  await deleteIssuer(scope, issuer.id);
  const removed = requireIssuer(scope, before, issuer.id);
  await expect(removed).rejects.toMatchObject({ code: "unauthorized" });
});

it("identity provider of a tenant is found by the exact pair of issuer and audience only, and read once in 15 seconds", async () => {
  const exact = { ...issuer, audience: "exact" };
  await createIssuer(scope, exact);
  await activateIssuer(scope, exact);
  expect(await findIssuer(issuer.issuer, ["Exact"])).toBeUndefined();
  expect(await findIssuer(`${issuer.issuer}/`, ["exact"])).toBeUndefined();
  expect(await findIssuer(issuer.issuer, [..."12345", "exact"])).toBeUndefined();
  expect(await findIssuer(issuer.issuer, ["exact"])).toBeDefined();
  const { read } = await table.measure(async () => {
    await findIssuer(issuer.issuer, ["exact"]);
    await findIssuer(issuer.issuer, ["Exact"]);
  });
  expect(read).toBe(0);
});
