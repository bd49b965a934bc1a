import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CountedAnswer, countAnswer } from "#shared/governance/usage/count-answer.ts";
import { usageReport } from "#shared/governance/usage/usage-report.ts";
import { usageBetween } from "#shared/governance/usage/usage-store.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

/** Answers in the long test. */
const count = process.env.SWITCHBOARD_FULL ? 5_000 : 400;

const random = seededRandom(11);
const pick = (below: number) => Math.floor(random() * below);

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

function answer(tenantId: string, n: number): CountedAnswer {
  const [input_tokens, output_tokens] = [pick(5_000), pick(2_000)];
  const cost_usd = Math.round(input_tokens * 2.5 + output_tokens * 10) / 1_000_000;
  const program = pick(4) === 0;
  return {
    pk: `${tenantId}#conversation#c${pick(50)}`,
    ...(program ? { id: `completion-${n}`, key_id: `key-${pick(3)}` } : { message_id: `message-${n}` }),
    ...(!program && { asked_by: pick(10) === 0 ? "~visitor-1" : `user-${pick(5)}` }),
    persona_id: pick(2) === 0 ? null : `persona-${pick(3)}`,
    created_at: `2026-0${1 + pick(3)}-1${pick(10)}T12:00:00.000Z`,
    usage: {
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      cost_usd,
      model: `model-${pick(2)}`,
    },
  };
}

const sumOf = (answers: readonly CountedAnswer[]) => {
  const total = (amount: (usage: CountedAnswer["usage"]) => number) =>
    answers.reduce((sum, { usage }) => sum + amount(usage), 0);
  return {
    requests: answers.length,
    input_tokens: total(({ input_tokens }) => input_tokens),
    output_tokens: total(({ output_tokens }) => output_tokens),
    total_tokens: total(({ total_tokens }) => total_tokens),
    cost_usd: total(({ cost_usd }) => Math.round(cost_usd * 1e6)) / 1e6,
  };
};

describe("usage", () => {
  it("is the sum of the answers, delivered twice, out of order, by deliveries that fail half way", async () => {
    const tenantId = "usage";
    const answers = Array.from({ length: count }, (_, n) => answer(tenantId, n));
    const deliveries = [...answers, ...answers].map((each) => ({ each, at: random() }));
    deliveries.sort((one, other) => one.at - other.at);
    for (let from = 0; from < deliveries.length; from += 100) {
      const delivery = deliveries.slice(from, from + 100).map(({ each }) => each);
      const deliver = () => Promise.allSettled(delivery.map(countAnswer));
      if (pick(3) === 0) await table.failAfter(pick(8), deliver);
      const results = await deliver();
      expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    }
    const records = await usageBetween({ tenantId }, "2026-01-01", "2026-12-31");
    expect(usageReport(records, []).totals).toEqual(sumOf(answers));
    const byUser = usageReport(records, ["user"]).usage;
    for (const { user_id, ...amounts } of byUser) {
      const theirs = answers.filter(({ asked_by }) => (asked_by?.startsWith("user") ? asked_by : null) === user_id);
      expect(amounts).toEqual(sumOf(theirs));
    }
    const january = await usageBetween({ tenantId }, "2026-01-12", "2026-01-13");
    const then = answers.filter(({ created_at }) => /^2026-01-1[23]/.test(created_at));
    expect(usageReport(january, []).totals).toEqual(sumOf(then));
    expect(await usageBetween({ tenantId: "another" }, "2026-01-01", "2026-12-31")).toEqual([]);
  }, 600_000);

  it("costs two write units for each answer and two for all of a subject's in one delivery", async () => {
    const answers = Array.from({ length: 50 }, (_, n) => ({
      ...answer("cost", n),
      ...{ message_id: `m-${n}`, asked_by: "user-1", key_id: "k", persona_id: null },
      created_at: "2026-01-10T00:00:00.000Z",
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 0, model: "m" },
    }));
    const { written } = await table.measure(() => Promise.all(answers.map(countAnswer)));
    expect(written).toBe(50 * 2 + 2);
  });
});
