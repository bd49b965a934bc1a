import { beforeEach, expect, it, vi } from "vitest";
import { indexKeys } from "#shared/dynamodb/keys.ts";
import type { ReadOptions } from "#shared/dynamodb/table.ts";
import { getOrCreateTenant, type Tenant } from "#shared/tenancy/tenant-store.ts";

const table = vi.hoisted(() => ({ get: vi.fn(), transact: vi.fn() }));
vi.mock("#shared/dynamodb/tenant-scope.ts", () => ({ tenantTable: () => table }));

const stored: Tenant = {
  tenant_id: "new",
  slug: "abcdefgh",
  name: null,
  plan: null,
  billing_id: null,
  limits: {},
  suspended_at: null,
  deletion_requested_at: null,
  deletion_completed_at: null,
  deletion_proof: null,
  budgets: [],
  issuer_ids: [],
  budget_count: 0,
  created_at: "2026-11-01T00:00:00.000Z",
};
const item = { ...indexKeys.tenantOfDeployment("new"), ...stored };

beforeEach(() => void vi.resetAllMocks());

it("getOrCreateTenant() does not create a tenant that exists although an eventually consistent read misses it", async () => {
  table.get.mockImplementation(async (_key: object, { consistent }: ReadOptions = {}) =>
    consistent ? item : undefined,
  );
  expect(await getOrCreateTenant({ tenantId: "new" })).toMatchObject(stored);
  expect(table.transact).not.toHaveBeenCalled();
});

it("getOrCreateTenant() reads a tenant once and creates one that does not exist", async () => {
  table.get.mockResolvedValue(item);
  await getOrCreateTenant({ tenantId: "stored" });
  expect(table.get).toHaveBeenCalledTimes(1);
  table.get.mockResolvedValue(undefined);
  expect(await getOrCreateTenant({ tenantId: "absent" })).toMatchObject({ tenant_id: "absent", limits: {} });
  expect(table.transact).toHaveBeenCalledTimes(1);
});
