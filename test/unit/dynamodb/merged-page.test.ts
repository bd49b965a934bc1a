import { afterAll, beforeAll, expect, it } from "vitest";
import { listMergedPage } from "#shared/dynamodb/merged-page.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { newId } from "#shared/lib/ids.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it.each([
  ["short", 10],
  ["very long in one list", 300_000],
])(
  "listMergedPage(), which merges several lists into one page, returns every entry exactly once when items are %s",
  async (name, length) => {
    const lists = ["many", "few"].map((list) => ({ pk: `t#${list} ${name}` }));
    const ids: string[] = [];
    for (let n = 0; n < 50; n++) {
      const sk = newId();
      ids.unshift(sk);
      const isLong = n % 2 === 0;
      await tenantTable(scope).write({
        put: { pk: lists[isLong ? 0 : 1]?.pk ?? "", sk, text: "x".repeat(isLong ? length : 1) },
      });
    }
    for (const limit of [7, 100]) {
      const listed: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const { entries, next } = await listMergedPage(scope, { list: name }, lists, { limit, cursor });
        expect(entries.length).toBeLessThanOrEqual(limit);
        expect(JSON.stringify(entries).length).toBeLessThan(4_000_000);
        listed.push(...entries.map(({ sk }) => sk));
        if (next === null) break;
        cursor = next;
      }
      expect(listed).toEqual(ids);
    }
  },
);
