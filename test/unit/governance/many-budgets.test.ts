import { afterAll, beforeAll, expect, it } from "vitest";
import { MAX_BUDGETS } from "#shared/api/governance/budgets.ts";
import {
  findLedger,
  pruneLedger,
  reserve,
  settleReservation,
  TENANT_LEDGER,
  takenName,
  unpricedPrefix,
  usedName,
} from "#shared/governance/budgets/ledger-store.ts";
import { countUsage } from "#shared/governance/usage/usage-store.ts";
import type { Charges } from "#shared/lib/charges.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };
let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

const countersOn = (day: string) =>
  Array.from({ length: MAX_BUDGETS }, (_, index) => `${String(index).padStart(10, "0")}_${day}`);

const chargesOn = (day: string): Charges => ({
  counters: { [TENANT_LEDGER]: Object.fromEntries(countersOn(day).map((counter) => [counter, "usd"])) },
  reserved: [],
  estimate: { tokens: 0, micro_usd: 10 },
});

/** Counts an answer of a model without a price, whose tokens each budget in dollars names. */
const countAnswer = (id: string, day: string) =>
  countUsage(scope, [
    {
      ...{ id, day, user_id: "u", key_id: null, persona_id: null, model: "m", requests: 1, runs: 1, duration_ms: 1 },
      ...{ rules: [], charges: chargesOn(day) },
      usage: { model: "m".repeat(100), input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: null },
    },
  ]);

it("as many budgets as a tenant may have are charged, reserved, settled and pruned in one ledger", async () => {
  for (const day of ["20260101", "20260102", "20260103"]) await countAnswer(`answer-${day}`, day);
  const [counter = "", ...others] = countersOn("20260103");
  const charges = chargesOn("20260103");
  const limits = Object.fromEntries([counter, ...others].map((each) => [each, 10]));
  expect(await reserve(scope, TENANT_LEDGER, { runId: "r1", charges, limits })).toBeNull();
  expect(await reserve(scope, TENANT_LEDGER, { runId: "r2", charges, limits })).not.toBeNull();
  const amounts = Object.fromEntries([counter, ...others].map((each) => [each, 10]));
  const consumed = Object.fromEntries([counter, ...others].map((each) => [each, 4]));
  await settleReservation(scope, TENANT_LEDGER, { runId: "r1", amounts }, consumed);
  const before = (await findLedger(scope, TENANT_LEDGER)) ?? { pk: "", sk: "" };
  const unpriced = (each: string) => unpricedPrefix(each) + Buffer.from("m".repeat(100)).toString("hex");
  for (const each of [counter, ...others]) {
    expect(before).toMatchObject({ [takenName(each)]: 4, [usedName(each)]: 4, [unpriced(each)]: 2 });
  }
  await pruneLedger(scope, before);
  const days = new Set(
    Object.keys((await findLedger(scope, TENANT_LEDGER)) ?? {}).flatMap((name) => name.match(/(?<=_)2026\d{4}/) ?? []),
  );
  expect([...days].sort()).toEqual(["20260102", "20260103"]);
});
