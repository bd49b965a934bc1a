import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { errorResponse, type Script, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";

const MINUTE_MS = 60_000;

const clock = createMovableClock();
let service: ScriptedService;
let mcp: McpServer;
let client: Client;

beforeAll(async () => {
  [service, mcp] = await Promise.all([
    startScriptedService({ nodeOptions: [clock.nodeOption], env: { SCHEDULE_MIN_MINUTES: "1" } }),
    startMcpServer(),
  ]);
  mcp.tools = [toolDefinition("write")];
});
beforeEach(() => {
  client = new Client(newIdentity(), service.baseUrl);
  setScript(streamText(["All is well."]));
});
afterAll(() => Promise.all([service?.stop(), mcp?.stop()]));

/** Sets the script of all answers to the question. Other calls, such as titles, get an empty text. */
function setScript(script: Script) {
  service.upstream.requests.length = 0;
  service.upstream.script = (response, request) =>
    (JSON.stringify(request.body).includes("What is new?") ? script : streamText([""]))(response, request);
}

const questions = () =>
  service.upstream.requests.filter(({ body }) => JSON.stringify(body).includes("What is new?")).length;

async function createSchedule(fields: object = {}, caller = client) {
  const { status, body, text } = await caller.post("/v1/schedules", {
    ...{ name: "Report", question: "What is new?", cron: "0 9 1 1 *", time_zone: "UTC", max_retries: 0, ...fields },
  });
  if (status !== 201) throw new Error(text);
  return body;
}

const startRun = (id: string, caller = client) => caller.post(`/v1/schedules/${id}/runs`, undefined);

const runsOf = async ({ id }: { id: string }, caller = client) =>
  (await caller.get(`/v1/schedules/${id}/runs`)).body.runs;

/** Starts a run by hand, and waits for its end. */
async function runNow(schedule: { id: string }, caller = client) {
  const { status, body } = await startRun(schedule.id, caller);
  expect(status).toBe(202);
  return vi.waitFor(
    async () => {
      const run = (await runsOf(schedule, caller)).find(
        ({ scheduled_at }: { scheduled_at: string }) => scheduled_at === body.scheduled_at,
      );
      if (["pending", "running"].includes(run.status)) throw new Error(JSON.stringify(run));
      return run;
    },
    { timeout: 180_000, interval: 100 },
  );
}

const messagesOf = async (conversation: string) =>
  (await client.get(`/v1/conversations/${conversation}/messages`)).body.messages;

it("schedule asks its question at its time in a new conversation, and then waits for the next one", async () => {
  const schedule = await createSchedule({ cron: "* * * * *" });
  expect(schedule.next_times).toHaveLength(5);
  clock.advance(2 * MINUTE_MS);
  const [run] = await vi.waitFor(
    async () => {
      const runs = (await runsOf(schedule)).filter(({ status }: { status: string }) => status === "completed");
      expect(runs).toHaveLength(1);
      return runs;
    },
    { timeout: 180_000, interval: 200 },
  );
  expect(run).toMatchObject({ trigger: "schedule", attempts: 1, reason: null });
  expect(schedule.next_times).toContain(run.scheduled_at);
  const messages = await messagesOf(run.conversation_id);
  expect(messages.map(({ role, content }: { role: string; content: unknown }) => [role, content])).toEqual([
    ["user", [{ type: "text", text: "What is new?" }]],
    ["assistant", [expect.objectContaining({ text: "All is well." })]],
  ]);
  expect(messages[1].message_id).toBe(run.message_id);
  const { next_times } = (await client.get(`/v1/schedules/${schedule.id}`)).body;
  expect(next_times[0] > run.scheduled_at).toBe(true);
  await client.delete(`/v1/schedules/${schedule.id}`);
});

it("schedule with one conversation asks again in it, within its persona and its documents", async () => {
  const { collection, document } = await addIndexedDocument(client, {
    title: "Harbor",
    text: "The harbor opens at six.",
  });
  const { body: persona } = await client.post("/v1/personas", { name: "Reporter" });
  const schedule = await createSchedule({
    ...{ conversation: "same", persona_id: persona.id },
    documents: [{ collection_id: collection, document_id: document }],
  });
  const first = await runNow(schedule);
  expect(first).toMatchObject({ status: "completed", trigger: "manual" });
  const second = await runNow(schedule);
  expect(second.conversation_id).toBe(first.conversation_id);
  const { body: conversation } = await client.get(`/v1/conversations/${first.conversation_id}`);
  expect(conversation).toMatchObject({ title: "Report", persona_id: persona.id });
  const messages = await messagesOf(first.conversation_id);
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(messages[0].documents).toEqual([expect.objectContaining({ document_id: document })]);
});

it("run of a schedule ends with needs_approval when a tool has no consent, and calls it with one", async () => {
  const { body: server } = await client.post("/v1/tools/servers", { name: "Files", url: mcp.url, remember: "always" });
  const { body: persona } = await client.post("/v1/personas", {
    ...{ name: "Clerk", tool_servers: [{ server_id: server.id }] },
  });
  const schedule = await createSchedule({ persona_id: persona.id });
  let calls = 0;
  setScript((response, request) => {
    const isFirst = JSON.stringify(request.body.messages).includes('"role":"tool"') === false;
    return (isFirst ? streamToolCalls(["files__write", '{"text":"x"}']) : streamText(["Written."]))(response, request);
  });
  mcp.call = () => {
    calls++;
    return { content: [{ type: "text", text: "done" }] };
  };
  const refused = await runNow(schedule);
  expect(refused).toMatchObject({ status: "needs_approval", reason: "approval_required", attempts: 1 });
  expect((await messagesOf(refused.conversation_id))[1]).toMatchObject({
    status: "failed",
    error: { code: "approval_required" },
  });
  expect((await client.get("/v1/approvals")).body.approvals).toEqual([]);
  const { body: conversation } = await client.post("/v1/conversations", { title: "Once", persona_id: persona.id });
  const asking = client.chat({ conversation_id: conversation.id, content: "What is new?" });
  const approval = await vi.waitFor(
    async () => {
      const [pending] = (await client.get("/v1/approvals?status=pending")).body.approvals;
      expect(pending).toBeDefined();
      return pending;
    },
    { timeout: 180_000 },
  );
  await client.post(`/v1/approvals/${approval.id}/confirm`, { decision: "approve", remember: "always" });
  await asking;
  const before = calls;
  expect(await runNow(schedule)).toMatchObject({ status: "completed" });
  expect(calls).toBe(before + 1);
});

it("run of a schedule fails with the reason when its owner was deactivated or its conversation was deleted", async () => {
  const colleague = await createColleague(client);
  const conversation_id = await colleague.createConversation();
  const schedule = await createSchedule({ conversation: "same", conversation_id }, colleague);
  await colleague.delete(`/v1/conversations/${conversation_id}`);
  expect(await runNow(schedule, colleague)).toMatchObject({ status: "failed", reason: "not_found", message_id: null });
  const other = await createSchedule({ cron: "* * * * *", pause_after: 1 }, colleague);
  const userPath = `/v1/tenant/users/${colleague.identity.user}`;
  expect((await client.patch(userPath, { is_active: false })).status).toBe(200);
  const types = ["schedule.failed", "schedule.paused"];
  const { body: endpoint } = await client.post("/v1/event-endpoints", { url: "http://127.0.0.1:9/", types });
  const asked = questions();
  clock.advance(2 * MINUTE_MS);
  const failed = { schedule_id: other.id, status: "failed", reason: "user", conversation_id: null };
  const paused = { id: other.id, failures: 1, disabled_reason: "failures" };
  // The time before the last one was missed.
  await vi.waitFor(
    async () => {
      const { body: list } = await client.get(`/v1/event-endpoints/${endpoint.id}/deliveries`);
      const events = list.deliveries.map(({ payload }: { payload: string }) => JSON.parse(payload));
      expect(events).toContainEqual(expect.objectContaining({ type: types[0], data: expect.objectContaining(failed) }));
      expect(events).toContainEqual(expect.objectContaining({ type: types[1], data: expect.objectContaining(paused) }));
    },
    { timeout: 180_000, interval: 200 },
  );
  await client.patch(userPath, { is_active: true });
  const { body } = await colleague.get(`/v1/schedules/${other.id}`);
  expect(body).toMatchObject({ enabled: false, disabled_reason: "failures", failures: 1, next_times: [] });
  expect(questions()).toBe(asked);
});

it("run of a schedule is repeated after a temporary failure in its conversation, and pauses the schedule after failures in a row", async () => {
  setScript(errorResponse(500, "down"));
  const schedule = await createSchedule({ max_retries: 1, pause_after: 2 });
  const { body: started } = await startRun(schedule.id);
  const stateOf = async () =>
    (await runsOf(schedule)).find(
      ({ scheduled_at }: { scheduled_at: string }) => scheduled_at === started.scheduled_at,
    );
  await vi.waitFor(async () => expect(await stateOf()).toMatchObject({ status: "pending", attempts: 1 }), {
    timeout: 180_000,
    interval: 200,
  });
  setScript(streamText(["All is well."]));
  clock.advance(2 * MINUTE_MS);
  const run = await vi.waitFor(
    async () => {
      const state = await stateOf();
      expect(state.status).toBe("completed");
      return state;
    },
    { timeout: 180_000, interval: 200 },
  );
  expect(run.attempts).toBe(2);
  const messages = await messagesOf(run.conversation_id);
  expect(messages.filter(({ role }: { role: string }) => role === "user")).toHaveLength(1);
  setScript(errorResponse(400, "no"));
  await client.patch(`/v1/schedules/${schedule.id}`, { max_retries: 0 });
  for (const failures of [1, 2]) {
    expect(await runNow(schedule)).toMatchObject({ status: "failed" });
    const { body } = await client.get(`/v1/schedules/${schedule.id}`);
    expect(body).toMatchObject({ failures, enabled: failures < 2 });
  }
  const { body: resumed } = await client.patch(`/v1/schedules/${schedule.id}`, { enabled: true });
  expect(resumed).toMatchObject({ enabled: true, failures: 0, disabled_reason: null });
  expect(resumed.next_times).toHaveLength(5);
});
