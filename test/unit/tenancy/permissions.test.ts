import { afterAll, beforeAll, expect, it } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { resolveAccessRights } from "#shared/tenancy/access-rights.ts";
import { newGroupWrites } from "#shared/tenancy/group-store.ts";
import { newRoleWrite } from "#shared/tenancy/role-store.ts";
import { requester } from "#test/support/chat/turns.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it("resolveAccessRights() returns the roles of all groups of a user in more than 100 groups", async () => {
  const names = Array.from({ length: 103 }, (_, n) => `role-${String(n).padStart(3, "0")}`);
  for (const name of names) {
    const permissions = name === "role-102" ? (["usage.read"] as const) : [];
    const role = { name, description: "", permissions: [...permissions], built_in: false };
    await tenantTable(requester).write(newRoleWrite(requester, role));
    const group = { id: `group-${name}`, name, roles: [name], member_ids: [requester.userId] };
    await tenantTable(requester).transact(newGroupWrites(requester, group));
  }
  const { groups, roles, permissions } = await resolveAccessRights(requester);
  expect(groups).toHaveLength(names.length);
  expect(roles.toSorted()).toEqual(names);
  expect([...permissions]).toEqual(["usage.read"]);
});
