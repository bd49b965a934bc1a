import { afterAll, beforeAll, expect, it } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import {
  deleteCollection,
  findCollections,
  newCollection,
  newCollectionWrites,
  updateCollection,
} from "#shared/knowledge/collection-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it("deleteCollection() throws a conflict when the collection was renamed concurrently", async () => {
  const read = newCollection("u", { name: "Manuals", description: "", readers: ["tenant"] });
  await tenantTable(scope).transact(newCollectionWrites(scope, read));
  const renamed = await updateCollection(scope, read, { name: "Handbooks" });
  await expect(deleteCollection(scope, read)).rejects.toMatchObject({ code: "conflict" });
  expect(await findCollections(scope, [read.id])).toMatchObject([{ name: "Handbooks" }]);
  await deleteCollection(scope, renamed);
  await expect(deleteCollection(scope, renamed)).rejects.toMatchObject({ code: "not_found" });
});
