import { afterAll, beforeAll, expect, it } from "vitest";
import { tableOf } from "#shared/dynamodb/tenant-scope.ts";
import { newGroupWrites } from "#shared/tenancy/group-store.ts";
import { rightsOf } from "#shared/tenancy/permissions.ts";
import { newRoleWrite } from "#shared/tenancy/role-store.ts";
import { asker } from "#test/support/chat/turns.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it("somebody in more groups than one read takes has the rights of each", async () => {
  const names = Array.from({ length: 103 }, (_, n) => `role-${String(n).padStart(3, "0")}`);
  for (const name of names) {
    const permissions = name === "role-102" ? (["usage.read"] as const) : [];
    const role = { name, description: "", permissions: [...permissions], built_in: false };
    await tableOf(asker).write(newRoleWrite(asker, role));
    const group = { id: `group-${name}`, name, roles: [name], member_ids: [asker.userId] };
    await tableOf(asker).transact(newGroupWrites(asker, group));
  }
  const { groups, roles, permissions } = await rightsOf(asker);
  expect(groups).toHaveLength(names.length);
  expect(roles.toSorted()).toEqual(names);
  expect([...permissions]).toEqual(["usage.read"]);
});
