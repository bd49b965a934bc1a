import { afterAll, beforeAll, expect, it } from "vitest";
import { MAX_BUDGETS } from "#shared/api/governance/budgets.ts";
import { TENANT_LEDGER } from "#shared/dynamodb/items/governance/budget-ledger.item.ts";
import {
  findLedger,
  pruneLedger,
  reserve,
  settleReservation,
  takenName,
  unpricedPrefix,
  usedName,
} from "#shared/governance/budgets/ledger-store.ts";
import { countUsage } from "#shared/governance/usage/count-usage.ts";
import { listUsage, type UsageEvent } from "#shared/governance/usage/usage-store.ts";
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

/** Returns an answer of a model without a price, whose tokens each budget in dollars names. */
const newAnswer = (id: string, day: string, charges: Charges, user_id = "u"): UsageEvent => ({
  ...{
    id,
    day,
    user_id,
    key_id: null,
    persona_id: null,
    persona_version: null,
    model: "m",
    requests: 1,
    runs: 1,
    duration_ms: 1,
  },
  ...{ rules: [], charges },
  usage: { model: "m".repeat(100), input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: null },
});

it("ledger of a tenant charges, reserves, settles and prunes the maximum number of budgets", async () => {
  for (const day of ["20260101", "20260102", "20260103"]) {
    await countUsage(scope, [newAnswer(`answer-${day}`, day, chargesOn(day))]);
  }
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

it("answers that are charged to more ledgers than a transaction can write are counted once each, also when repeated", async () => {
  const counter = "0123456789_20260301";
  const chargesTo = (...ledgers: string[]): Charges => ({
    counters: Object.fromEntries(ledgers.map((ledger) => [ledger, { [counter]: "runs" }])),
    reserved: [],
    estimate: { tokens: 0, micro_usd: 0 },
  });
  const groups = Array.from({ length: 250 }, (_, index) => `group#${index}`);
  const users = Array.from({ length: 70 }, (_, index) => `person-${index}`);
  const answers = [
    newAnswer("many-groups", "2026-03-01", chargesTo(TENANT_LEDGER, ...groups)),
    ...users.map((user) =>
      newAnswer(`of-${user}`, "2026-03-01", chargesTo(TENANT_LEDGER, `user#${user}`, `persona#${user}`), user),
    ),
  ];
  await countUsage(scope, answers);
  await countUsage(scope, answers.toReversed());
  const usedIn = async (ledger: string) => (await findLedger(scope, ledger))?.[usedName(counter)];
  expect(await usedIn(TENANT_LEDGER)).toBe(71);
  const ledgers = [...groups, ...users.flatMap((user) => [`user#${user}`, `persona#${user}`])];
  expect(new Set(await Promise.all(ledgers.map(usedIn)))).toEqual(new Set([1]));
  const records = await listUsage(scope, "2026-03-01", "2026-03-01");
  expect(records).toHaveLength(71);
  expect(new Set(records.map(({ requests }) => requests))).toEqual(new Set([1]));
});
