import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { MessageCheck, Usage } from "#shared/api/conversations/messages.ts";
import type { OperatorBudget } from "#shared/api/governance/budgets.ts";
import { addMessage } from "#shared/conversations/message-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { type CountableReply, countReplyUsage } from "#shared/governance/usage/count-reply-usage.ts";
import { buildUsageReport, sumFindings } from "#shared/governance/usage/usage-report.ts";
import { listUsage, listUsageOf } from "#shared/governance/usage/usage-store.ts";
import { toAnswerMessage } from "#shared/runs/to-answer-message.ts";
import { beginTurnIn, createConversation, requester, tenant } from "#test/support/chat/turns.ts";
import { seededRandom } from "#test/support/knowledge/synthetic-text.ts";
import { sized } from "#test/support/run-size.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

/** Number of answers in the long test. */
const answerCount = sized({ usual: 100, full: 2_000, soak: 5_000 });

const random = seededRandom(11);
const pick = (below: number) => Math.floor(random() * below);

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
  for (const name of ["MODELS", "MODEL_ID", "MODEL_ID_QUICK", "MODEL_FALLBACK", "MODEL_BASE_URL", "MODEL_API_KEY"])
    vi.stubEnv(name, "");
  vi.stubEnv("MODEL_PROVIDER", "openai-compatible");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await table.stop();
});

function createAnswer(tenantId: string, n: number): CountableReply {
  const [input_tokens, output_tokens] = [pick(5_000), pick(2_000)];
  const cost_usd = Math.round(input_tokens * 2.5 + output_tokens * 10) / 1_000_000;
  const isApiKeyCall = pick(4) === 0;
  return {
    pk: `${tenantId}#conversation#c${pick(50)}`,
    ...(isApiKeyCall ? { id: `completion-${n}`, key_id: `key-${pick(3)}` } : { message_id: `message-${n}` }),
    ...(!isApiKeyCall && { asked_by: pick(10) === 0 ? "~visitor-1" : `user-${pick(5)}` }),
    ...(pick(2) === 0 ? { persona_id: null } : { persona_id: `persona-${pick(3)}`, persona_version: 1 + pick(3) }),
    created_at: `2026-0${1 + pick(3)}-1${pick(10)}T12:00:00.000Z`,
    usage: {
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      cached_tokens: pick(1_000),
      cost_usd,
      model: `model-${pick(2)}`,
    },
  };
}

const sumOf = (answers: readonly CountableReply[]) => {
  const sum = (amount: (usage: Usage) => number) =>
    answers.reduce((sum, { usage }) => sum + (usage ? amount(usage) : 0), 0);
  return {
    requests: answers.length,
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    total_tokens: sum(({ total_tokens }) => total_tokens),
    cached_tokens: sum(({ cached_tokens }) => cached_tokens ?? 0),
    cost_usd: sum(({ cost_usd }) => Math.round((cost_usd ?? 0) * 1e6)) / 1e6,
  };
};

describe("countReplyUsage", () => {
  it("countReplyUsage counts each answer once when deliveries are repeated, reordered or fail in part", async () => {
    const tenantId = "usage";
    const answers = Array.from({ length: answerCount }, (_, n) => createAnswer(tenantId, n));
    const deliveries = [...answers, ...answers].map((answer) => ({ answer, order: random() }));
    deliveries.sort((one, other) => one.order - other.order);
    for (let from = 0; from < deliveries.length; from += 100) {
      const delivery = deliveries.slice(from, from + 100).map(({ answer }) => answer);
      const deliver = () => Promise.allSettled(delivery.map(countReplyUsage));
      if (pick(3) === 0) await table.failAfter(pick(8), deliver);
      const results = await deliver();
      expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    }
    const records = await listUsage({ tenantId }, "2026-01-01", "2026-12-31");
    expect(buildUsageReport(records, []).totals).toEqual(sumOf(answers));
    const byUser = buildUsageReport(records, ["user"]).usage;
    for (const { user_id, ...amounts } of byUser) {
      const userAnswers = answers.filter(
        ({ asked_by }) => (asked_by?.startsWith("user") ? asked_by : null) === user_id,
      );
      expect(amounts).toEqual(sumOf(userAnswers));
    }
    for (const { persona_id, persona_version, ...amounts } of buildUsageReport(records, ["persona", "persona_version"])
      .usage) {
      const ofVersion = answers.filter(
        (answer) => answer.persona_id === persona_id && (answer.persona_version ?? null) === persona_version,
      );
      expect(amounts).toEqual(sumOf(ofVersion));
    }
    const january = await listUsage({ tenantId }, "2026-01-12", "2026-01-13");
    const answersInRange = answers.filter(({ created_at }) => /^2026-01-1[23]/.test(created_at));
    expect(buildUsageReport(january, []).totals).toEqual(sumOf(answersInRange));
    expect(await listUsage({ tenantId: "another" }, "2026-01-01", "2026-12-31")).toEqual([]);
  });

  it("countReplyUsage counts for each guardrail rule the answers with findings, also answers whose question was blocked", async () => {
    const answer = createAnswer("findings", 1);
    const check: MessageCheck = {
      stage: "input",
      action: "allow",
      categories: ["injection"],
      rules: ["override", "reveal"],
    };
    const checkOfModel = { ...check, categories: ["violence"], rules: [] };
    const replies: CountableReply[] = [
      { ...answer, message_id: "flagged", checks: [check, { ...check, stage: "output", rules: ["reveal"] }] },
      { ...answer, message_id: "blocked", checks: [checkOfModel, { ...check, rules: ["reveal"] }], usage: null },
      { ...answer, message_id: "ordinary" },
    ];
    await Promise.all([...replies, ...replies].map(countReplyUsage));
    const records = await listUsage({ tenantId: "findings" }, "2026-01-01", "2026-12-31");
    expect(sumFindings(records)).toEqual([
      { rule: "reveal", replies: 2 },
      { rule: "override", replies: 1 },
      { rule: "violence", replies: 1 },
    ]);
    expect(buildUsageReport(records, []).totals.requests).toBe(2);
    const onlyBlocked = records.map((record) => ({ ...record, requests: 0, cost_micro_usd: 0 }));
    expect(buildUsageReport(onlyBlocked, ["day"]).usage).toEqual([]);
  });

  it("usage of one user is read with four calls for each day since the user appeared", async () => {
    const reply = { ...createAnswer("own", 1), id: undefined, key_id: undefined, asked_by: "ada" };
    const answers = ["2026-05-03", "2026-05-29"].map((day) => ({
      ...reply,
      message_id: `on-${day}`,
      created_at: `${day}T12:00:00.000Z`,
    })) as unknown as CountableReply[];
    await Promise.all(
      [...answers, { ...answers[0], message_id: "of-bob", asked_by: "bob" } as CountableReply].map(countReplyUsage),
    );
    const ada = { tenantId: "own", userId: "ada" };
    const read = async (firstDay?: string) => {
      let days: string[] = [];
      const { calls } = await table.measure(async () => {
        const records = await listUsageOf(ada, { from: "2026-05-01", to: "2026-05-30", first: firstDay });
        days = records.map(({ day }) => day).toSorted();
      });
      return { calls, days };
    };
    expect(await read()).toEqual({ calls: 120, days: ["2026-05-03", "2026-05-29"] });
    expect(await read("2026-05-28")).toEqual({ calls: 12, days: ["2026-05-29"] });
    expect(await read("2025-01-01")).toEqual({ calls: 120, days: ["2026-05-03", "2026-05-29"] });
  });

  it("usage report includes the AWS cost of the duration and number of answers, if costs are requested", async () => {
    const answer = createAnswer("costs", 1);
    const { key_id: _, id: __, ...reply } = { ...answer, asked_by: "ada", duration_ms: 8_000 };
    await Promise.all([
      ...["a", "b"].map((message_id) => countReplyUsage({ ...reply, message_id })),
      countReplyUsage({ ...answer, message_id: undefined, id: "c", key_id: "k", duration_ms: 8_000 } as CountableReply),
    ]);
    const records = await listUsage({ tenantId: "costs" }, "2026-01-01", "2026-12-31");
    const { usage, totals } = buildUsageReport(records, ["key"], "full");
    // The figures of the page on costs: 0.0430 and 0.0408 dollars for 1,000 answers of 8 seconds.
    expect(usage.map(({ key_id, aws_cost_usd }) => [key_id, aws_cost_usd])).toEqual([
      ["k", expect.closeTo(0.0000408, 7)],
      [null, expect.closeTo(0.0000859, 7)],
    ]);
    expect(totals.aws_cost_usd).toBeCloseTo(0.0001267, 7);
    expect(buildUsageReport(records, []).totals).not.toHaveProperty("aws_cost_usd");
  });

  const answersOf = (tenantId: string, count: number): CountableReply[] =>
    Array.from({ length: count }, (_, n) => ({
      ...createAnswer(tenantId, n),
      ...{ message_id: `m-${n}`, asked_by: "user-1", key_id: "k", persona_id: null, persona_version: null },
      created_at: "2026-01-10T00:00:00.000Z",
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 0, model: "m" },
    }));
  const countRequests = async (tenantId: string) =>
    buildUsageReport(await listUsage({ tenantId }, "2026-01-01", "2026-12-31"), []).totals.requests;

  it("countReplyUsage counts an answer once when its record becomes full between two deliveries", async () => {
    const answers = answersOf("full", 60);
    for (let n = 0; n < 40; n++) {
      const delivery = Array.from({ length: 1 + pick(6) }, () => answers[pick(60)]).filter(
        (answer) => answer !== undefined,
      );
      const deliver = () => Promise.allSettled(delivery.map(countReplyUsage));
      if (n === 10) await table.failAfter(pick(2), deliver);
      if (n === 25) await table.loseResponses(deliver, /UpdateItem|TransactWriteItems/);
      const results = await deliver();
      expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    }
    await Promise.all(answers.map(countReplyUsage));
    expect(await countRequests("full")).toBe(60);
  });

  it("countReplyUsage consumes one write unit per answer as long as the record of its user and day has room for marks", async () => {
    const answers = answersOf("cost", 40);
    const measure = async (from: number, to: number) => {
      const { written } = await table.measure(async () => {
        for (const answer of answers.slice(from, to)) await countReplyUsage(answer);
      });
      return written;
    };
    expect(await measure(0, 24)).toBe(24);
    // The first of them finds the record full.
    expect(await measure(24, 25)).toBe(4);
    expect(await measure(25, 40)).toBe(15 * 4);
  });

  it("countReplyUsage consumes two write units for each answer of a large batch of the change feed, and two more for the user's total", async () => {
    const [first, ...answers] = answersOf("delivery", 51) as [CountableReply, ...CountableReply[]];
    await countReplyUsage(first);
    const { written } = await table.measure(() => Promise.all(answers.map(countReplyUsage)));
    expect(written).toBe(50 * 2 + 2);
    // Single answers that are delivered again find their markers, although the record has marks.
    for (const answer of [first, ...answers.slice(0, 3)]) await countReplyUsage(answer);
    expect(await countRequests("delivery")).toBe(51);
  });

  it("countReplyUsage consumes one write unit for a small batch of the change feed with eight answers", async () => {
    const { written } = await table.measure(() => Promise.all(answersOf("small", 8).map(countReplyUsage)));
    expect(written).toBe(1);
  });
});

describe("budgets of a turn", () => {
  const budgetOf = (limit: number, unit: "runs" | "tokens", window: "day" | "month"): OperatorBudget => ({
    ...{ limit, unit, window, time_zone: "UTC" },
  });

  /** Starts and answers a turn, and counts its usage as the change feed does. */
  async function takeTurn(budgets: readonly OperatorBudget[], conversationId: string): Promise<void> {
    const turn = await beginTurnIn(conversationId, "QUICK", () => null, null, { ...tenant, budgets: [...budgets] });
    const usage: Usage = { model: "m", input_tokens: 900, output_tokens: 100, total_tokens: 1_000, cost_usd: 0.001 };
    const content = [{ type: "text" as const, text: "An answer." }];
    const answer = toAnswerMessage(turn.run, { content, status: "complete", model: "m", usage });
    await addMessage(requester, answer);
    await countReplyUsage({ pk: keys.message("t", conversationId, "").pk, ...answer, usage });
  }

  it("chat turn writes three more units with budgets far from their limits than without budgets, and two more near a limit", async () => {
    const conversationId = await createConversation("QUICK");
    const measure = async (...budgets: OperatorBudget[]) => {
      // The first turn creates the records of the day, which are larger than their updates.
      await takeTurn(budgets, conversationId);
      return table.measure(() => takeTurn(budgets, conversationId));
    };
    const without = await measure();
    const far = [
      budgetOf(1_000_000, "runs", "day"),
      budgetOf(10 ** 9, "tokens", "month"),
      budgetOf(10 ** 9, "runs", "month"),
    ];
    const near = [budgetOf(50, "runs", "day"), budgetOf(90_000, "tokens", "month")];
    // The record of the day and the ledger share a transaction, which doubles their units.
    expect((await measure(...far)).written - without.written).toBe(3);
    expect((await measure(...near)).written - without.written).toBe(2);
  });
});
