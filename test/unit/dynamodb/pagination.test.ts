import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toCursor, type ListQuery, listPage } from "#shared/dynamodb/pagination.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };
const list: ListQuery = { list: "messages", pk: "t#conversation", prefix: "message#" };
const limit = 10;

describe("a list that shares its partition with other items", () => {
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
  ])("goes on at a cursor of its own, %s", async (_, descending, rest) => {
    const cursor = toCursor(scope, list, "message#1");
    const { entries } = await listPage(scope, { ...list, descending }, { limit, cursor });
    expect(entries.map(({ sk }) => sk)).toEqual(rest);
  });

  it.each([
    ["before it", "a", false],
    ["beyond it", "z", true],
    ["before it, the other way", "a", true],
  ])("refuses a forged cursor that lies %s", async (_, position, descending) => {
    const page = listPage(scope, { ...list, descending }, { limit, cursor: toCursor(scope, list, position) });
    await expect(page).rejects.toMatchObject({ code: "invalid_cursor" });
  });
});
