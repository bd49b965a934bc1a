import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { job } from "#shared/changes/job.ts";
import { buildExport } from "#shared/governance/exports/build-export.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it("job() returns only the failed queue records, so that only they are delivered again", async () => {
  const done: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  const handler = job<string>(async (name) => {
    if (name === "bad") throw new Error("No good");
    done.push(name);
  });
  const bodies = ['"one"', '"bad"', "no JSON", '"two"'];
  const Records = bodies.map((body, index) => ({ messageId: String(index), body }));
  expect(await handler({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "2" }],
  });
  expect(done).toEqual(["one", "two"]);
});

it("buildExport() succeeds without a result when the export no longer exists", async () => {
  await expect(buildExport({ tenantId: "t", userId: "u", id: "gone" })).resolves.toBeUndefined();
});
