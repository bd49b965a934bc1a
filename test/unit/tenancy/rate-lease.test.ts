import { afterAll, beforeAll, expect, it } from "vitest";
import { consumeQuota } from "#shared/tenancy/rate-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

const scope = { tenantId: "t" };
const toKey = (id: string) => ({ kind: "api-key", id }) as const;

/** Makes requests one after another, all in one minute. */
async function consumeInSequence(id: string, limit: number, requests: number) {
  const results = [];
  for (let n = 0; n < requests; n++) results.push(await consumeQuota(scope, `api-key#${id}`, limit, toKey(id)));
  expect(new Set(results.map(({ resetAt }) => resetAt)).size).toBe(1);
  return results;
}

it("rate limit of 400 requests admits exactly 400 and returns the remaining number with each", {
  retry: 2,
}, async () => {
  const id = `k${Math.random()}`;
  const results = await consumeInSequence(id, 400, 403);
  expect(results.map(({ admitted }) => admitted)).toEqual(Array.from({ length: 403 }, (_, n) => n < 400));
  expect(results.slice(0, 400).map(({ remaining }) => remaining)).toEqual(
    Array.from({ length: 400 }, (_, n) => 399 - n),
  );
});

it("large rate limit of an API key is written to the table once per lease instead of per request", {
  retry: 2,
}, async () => {
  const id = `k${Math.random()}`;
  const leasedUnits = await table.measure(() => consumeInSequence(id, 4_000, 42));
  const singleUnits = await table.measure(() => consumeInSequence(`${id}s`, 100, 42));
  expect(singleUnits.written).toBe(42);
  expect(leasedUnits.written).toBe(2);
});

it("rate limit with leases is never exceeded by concurrent requests", { retry: 2 }, async () => {
  const id = `k${Math.random()}`;
  const requests = Array.from({ length: 500 }, () => consumeQuota(scope, `api-key#${id}`, 400, toKey(id)));
  const results = await Promise.all(requests);
  expect(results.filter(({ admitted }) => admitted).length).toBe(400);
});
