import { afterAll, beforeAll, expect, it } from "vitest";
import { type ListQuery, listPage, toCursor } from "#shared/dynamodb/pagination.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };
const list: ListQuery = { list: "messages", pk: "t#conversation", prefix: "message#" };
const limit = 10;

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
  for (const sk of ["grant#1", "message#1", "message#2", "revision#1"]) {
    await tenantTable(scope).write({ put: { pk: list.pk, sk } });
  }
});

afterAll(() => table?.stop());

it.each([
  ["ascending", false, ["message#2"]],
  ["descending", true, []],
])(
  "listPage() in a partition that contains other items continues after the cursor of the previous page in %s order",
  async (_, descending, remaining) => {
    const cursor = toCursor(scope, list, "message#1");
    const { entries } = await listPage(scope, { ...list, descending }, { limit, cursor });
    expect(entries.map(({ sk }) => sk)).toEqual(remaining);
  },
);

it.each([
  ["before the list", "a", false],
  ["after the list", "z", true],
  ["before the list, descending", "a", true],
])(
  "listPage() in a partition that contains other items throws invalid_cursor for a cursor that points %s",
  async (_, position, descending) => {
    const page = listPage(scope, { ...list, descending }, { limit, cursor: toCursor(scope, list, position) });
    await expect(page).rejects.toMatchObject({ code: "invalid_cursor" });
  },
);
