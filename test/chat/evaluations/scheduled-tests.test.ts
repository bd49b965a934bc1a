import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { answerBy, createTestSet } from "#test/support/evaluations/runs.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService();
});
afterAll(() => service?.stop());

const items = Array.from({ length: 20 }, (_, n) => ({
  question: `What does number ${n} cost?`,
  expectations: [...Array(19).fill({ type: "contains", text: "12" }), { type: "contains", text: "euros" }],
}));

/** Answers all questions but the first ones right. */
function answerWrong(count: number, wrong = "I do not know.") {
  service.upstream.script = answerBy((_, question) =>
    Number(/number (\d+)/.exec(question)?.[1]) < count ? wrong : "It costs 12 euros.",
  );
}

const nightly = { name: "Nightly", cron: "0 3 * * *", time_zone: "UTC", max_retries: 0 };

async function createNightly() {
  const admin = new Client(newIdentity(), service.baseUrl);
  const { persona_id, set_id } = await createTestSet(admin, items, { versions: 2 });
  const { status, body: schedule } = await admin.post("/v1/schedules", { ...nightly, set_id });
  expect([status, schedule.set_id, schedule.question]).toEqual([201, set_id, ""]);
  const types = ["test_run.dropped", "schedule.completed", "schedule.failed"];
  const { body: endpoint } = await admin.post("/v1/event-endpoints", { url: "http://127.0.0.1:9/", types });
  return { admin, persona_id, set_id, schedule, endpoint };
}

type Nightly = Awaited<ReturnType<typeof createNightly>>;

/** Starts a run by hand, and waits for its end. */
async function runNow({ admin, schedule }: Nightly) {
  const { status, body } = await admin.post(`/v1/schedules/${schedule.id}/runs`, undefined);
  expect(status).toBe(202);
  return vi.waitFor(
    async () => {
      const { runs } = (await admin.get(`/v1/schedules/${schedule.id}/runs`)).body;
      const run = runs.find(({ scheduled_at }: { scheduled_at: string }) => scheduled_at === body.scheduled_at);
      if (["pending", "running"].includes(run.status)) throw new Error(JSON.stringify(run));
      return run;
    },
    { timeout: 180_000, interval: 200 },
  );
}

const eventsOf = async ({ admin, endpoint }: Nightly, type: string) => {
  const { deliveries } = (await admin.get(`/v1/event-endpoints/${endpoint.id}/deliveries`)).body;
  const events = deliveries.map(({ payload }: { payload: string }) => JSON.parse(payload));
  return events.filter((event: { type: string }) => event.type === type).map(({ data }: { data: object }) => data);
};

it("schedule of a test set runs it with the published version, and reports a drop as an event", async () => {
  answerWrong(0);
  const test = await createNightly();
  const { admin, persona_id, set_id, schedule } = test;
  const first = await runNow(test);
  expect(first).toMatchObject({ status: "completed", attempts: 1, conversation_id: null, message_id: null });
  const tests = (await admin.get(`/v1/test-runs/${first.test_run_id}`)).body;
  expect(tests).toMatchObject({ set_id, status: "completed", columns: [{ version: 1, model: null }], done: 20 });
  // Most answers are worse, by 0.04 in the mean.
  answerWrong(16, "It costs 12.");
  await runNow(test);
  answerWrong(0);
  await runNow(test);
  // Two worse answers of 20 can be chance.
  answerWrong(2);
  await runNow(test);
  await admin.post(`/v1/personas/${persona_id}/versions/2/publish`, {});
  // A run that the schedule did not start is not compared.
  answerWrong(0);
  const other = (await admin.post("/v1/test-runs", { set_id })).body.id;
  await vi.waitFor(async () => expect((await admin.get(`/v1/test-runs/${other}`)).body.status).toBe("completed"), {
    timeout: 180_000,
    interval: 200,
  });
  answerWrong(8);
  const worse = await runNow(test);
  await vi.waitFor(async () => expect(await eventsOf(test, "schedule.completed")).toHaveLength(5), 15_000);
  const [drop, ...others] = await eventsOf(test, "test_run.dropped");
  expect(others).toEqual([]);
  expect(drop).toEqual({
    ...{ id: worse.test_run_id, set_id, persona_id, schedule_id: schedule.id, version: 2 },
    ...{ previous_run_id: expect.any(String), previous_version: 1, mean_score: 0.6, difference: -0.3 },
    interval: { low: expect.any(Number), high: expect.any(Number) },
  });
  expect(drop.interval.high).toBeLessThan(0);
  expect(drop.previous_run_id).not.toBe(other);
  answerWrong(0);
  await runNow(test);
  expect(await eventsOf(test, "test_run.dropped")).toHaveLength(1);
});

it("schedule of a test set fails when the set was deleted or a budget is used up", async () => {
  answerWrong(0);
  const test = await createNightly();
  const { admin, set_id, schedule } = test;
  await admin.post("/v1/budgets", { name: "Few", unit: "requests", limit: 1, window: "day" });
  expect(await runNow(test)).toMatchObject({ status: "failed", reason: "quota", test_run_id: expect.any(String) });
  await admin.delete(`/v1/test-sets/${set_id}`);
  expect(await runNow(test)).toMatchObject({ status: "failed", reason: "not_found", test_run_id: null });
  expect((await admin.get(`/v1/schedules/${schedule.id}`)).body.failures).toBe(2);
});

it("schedule of a test set has no question, and is for those who can change the persona", async () => {
  const admin = new Client(newIdentity(), service.baseUrl);
  const { set_id } = await createTestSet(admin, [], { visibility: "org" });
  const colleague = await createColleague(admin);
  expect((await colleague.post("/v1/schedules", { ...nightly, set_id })).status).toBe(403);
  for (const action of [{}, { set_id, question: "What is new?" }]) {
    const { status, body } = await admin.post("/v1/schedules", { ...nightly, ...action });
    expect([status, body.errors[0].message]).toEqual([400, "must have one of question and set_id"]);
  }
  const { id } = (await admin.post("/v1/schedules", { ...nightly, set_id })).body;
  const { status, body } = await admin.patch(`/v1/schedules/${id}`, { question: "What is new?" });
  expect([status, body.errors[0].path]).toEqual([400, "question"]);
  expect((await admin.patch(`/v1/schedules/${id}`, { cron: "0 4 * * *" })).body.cron).toBe("0 4 * * *");
});
