import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { executeTurn } from "#shared/chat/pipeline.ts";
import { addMessage, findMessage, flagMessage } from "#shared/conversations/message-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { absent, type Write } from "#shared/dynamodb/table.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import type { RunEvent } from "#shared/runs/events.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import { reapDeadRun } from "#shared/runs/reap-dead-run.ts";
import { waitForAnswer } from "#shared/runs/run.ts";
import { appendToRunLog, readRunLog } from "#shared/runs/run-log-store.ts";
import { findRun, type StoredRun, startRun } from "#shared/runs/run-store.ts";
import { storeAnswerOfRun } from "#shared/runs/store-answer.ts";
import { toAnswerMessage } from "#shared/runs/to-answer-message.ts";
import { beginTurnIn, createConversation, requester, startTurn } from "#test/support/chat/turns.ts";
import { startUpstream, type Upstream } from "#test/support/models/upstream.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
let upstream: Upstream;

beforeAll(async () => {
  [table, upstream] = await Promise.all([startMeteredTable(), startUpstream()]);
  for (const name of ["MODELS", "MODEL_ID", "MODEL_ID_QUICK", "MODEL_FALLBACK", "MODEL_API_KEY"])
    process.env[name] = "";
  process.env.MODEL_BASE_URL = upstream.baseUrl;
  process.env.MODEL_PROVIDER = "openai-compatible";
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => Promise.all([table?.stop(), upstream?.stop()]));

const storageError = (message_id: string): RunEvent => ({
  type: "error",
  data: { code: "internal_error", message: "Not stored", status: 500, request_id: "r", message_id },
});

const interruptedEvent = (message_id: string): RunEvent => ({
  type: "interrupted",
  data: { message_id, reason: "shutdown", saved_characters: 11 },
});

it("beginTurn(), which stores a user message and its run, starts the run when message and request record were stored although all responses were lost", async () => {
  const conversationId = await createConversation("QUICK");
  const record = (id: string): Write => ({ put: { ...keys.idempotency("t", id), discriminator: "idempotency" } });
  const begin = () => beginTurnIn(conversationId, "QUICK", record);
  const { run } = await table.loseResponses(begin, /TransactWriteItems/);
  expect(await findRun(requester, run.message_id)).toEqual(run);
  expect(await findMessage(requester, conversationId, run.user_message_id)).toMatchObject({
    reply_id: run.message_id,
  });
});

it("beginTurn(), which stores a user message and its run, starts the run when the response was lost and the repeated transaction finds its own request record", async () => {
  const conversationId = await createConversation("QUICK");
  const record = (id: string): Write => ({
    put: { ...keys.idempotency("t", id), discriminator: "idempotency" },
    condition: absent(() => new Error("recorded before")),
  });
  const begin = () => beginTurnIn(conversationId, "QUICK", record);
  const { run } = await table.failTransactions(["lost response", "conflict"], begin);
  expect(await findRun(requester, run.message_id)).toEqual(run);
});

it("beginTurn(), which stores a user message and its run, keeps the flag of a message whose write is repeated late", async () => {
  const { conversation, question, run } = await startTurn("QUICK");
  await flagMessage(requester, question);
  await startRun(requester, { conversation, question, isNew: true, run });
  expect(await findMessage(requester, conversation.id, question.message_id)).toMatchObject({
    flagged: true,
    reply_id: run.message_id,
  });
});

it("beginTurn(), which stores a user message and its run, stores nothing if the table rejects the run", async () => {
  const conversationId = await createConversation("QUICK");
  const items = await table.scan();
  await expect(table.failAfter(0, () => beginTurnIn(conversationId, "QUICK"))).rejects.toThrow("injected fault");
  expect(await table.scan()).toEqual(items);
});

it("beginTurn(), which stores a user message and its run, removes the run if a condition rejects the message", async () => {
  const conversationId = await createConversation("QUICK");
  const items = await table.scan();
  const refused = (): Write => ({
    put: { ...keys.conversation("t", conversationId), discriminator: "idempotency" },
    condition: absent(() => new Error("recorded before")),
  });
  await expect(beginTurnIn(conversationId, "QUICK", refused)).rejects.toThrow("recorded before");
  expect(await table.scan()).toEqual(items);
});

it.each([
  ["Half an ans", "the table failed", storageError, "interrupted"],
  ["", "the table failed", storageError, "failed"],
  ["Half an ans", "the reaper died", interruptedEvent, "interrupted"],
])(
  "reapDeadRun(), which ends a run whose function has died, stores %j as the answer of a run that ended when %s",
  async (text, _, end, status) => {
    const { run } = await startTurn("QUICK");
    const { message_id, conversation_id } = run;
    const textEvent: RunEvent = { type: "assistant_message", data: { message_id, content: text, final: false } };
    const events = text ? [textEvent, end(message_id)] : [end(message_id)];
    await appendToRunLog(
      requester,
      message_id,
      events.map((event, index) => ({ seq: index + 1, event })),
    );
    expect(await findMessage(requester, conversation_id, message_id)).toBeUndefined();
    // The website of a visitor, to which the cost of the answer belongs.
    expect(await reapDeadRun(requester, { ...run, key_id: "shop" })).toEqual({ state: "ended" });
    expect(await findMessage(requester, conversation_id, message_id)).toMatchObject({
      status,
      key_id: "shop",
      content: text ? [{ type: "text", text }] : [],
    });
  },
);

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

it("reapDeadRun() for a run without heartbeats removes the run if its message was not stored", async () => {
  const conversationId = await createConversation("QUICK");
  const items = await table.scan();
  await expect(table.failAfter(1, () => beginTurnIn(conversationId, "QUICK"))).rejects.toThrow("injected fault");
  const stored = (await table.scan()).find(({ discriminator, conversation_id }) => {
    return discriminator === "run" && conversation_id === conversationId;
  });
  const run = { ...((await findRun(requester, String(stored?.message_id))) as StoredRun), created_at: minutesAgo(5) };
  const { sign } = await reapDeadRun(requester, run);
  expect(await reapDeadRun(requester, run, sign && { ...sign, observedAt: 0 })).toEqual({ state: "ended" });
  expect(await table.scan()).toEqual(items);
});

it("reapDeadRun() for a run without heartbeats ends the run only after two checks without a heartbeat between them", async () => {
  const { run: started } = await startTurn("QUICK");
  const run = { ...started, created_at: minutesAgo(5) };
  const first = await reapDeadRun(requester, run);
  expect(first.state).toBe("running");
  expect((await reapDeadRun(requester, run, first.sign)).state).toBe("running");
  const older = first.sign && { ...first.sign, observedAt: Date.now() - 6_000 };
  expect((await reapDeadRun(requester, run, older && { ...older, lastSignAt: 1 })).state).toBe("running");
  expect((await reapDeadRun(requester, run, older)).state).toBe("ended");
  const { frames } = await readRunLog(requester, run.message_id);
  expect(frames.at(-1)?.event).toMatchObject({
    type: "interrupted",
    data: { reason: "shutdown", saved_characters: 0, last_event_id: `${run.message_id}:0` },
  });
});

it("reapDeadRun() for a run without heartbeats stores an interrupted answer, which is replaced if the run still completes", async () => {
  const turn = await startTurn("QUICK");
  const { message_id, conversation_id } = turn.run;
  const silent = { ...turn.run, created_at: minutesAgo(5) };
  const { sign } = await reapDeadRun(requester, silent);
  await reapDeadRun(requester, silent, sign && { ...sign, observedAt: 0 });
  expect(await findMessage(requester, conversation_id, message_id)).toMatchObject({
    status: "interrupted",
    content: [],
  });
  const content = [{ type: "text" as const, text: "All 300 words" }];
  const answer = toAnswerMessage(turn.run, { content, status: "complete", model: "m", usage: null });
  expect((await storeAnswerOfRun(requester, answer)).status).toBe("complete");
  expect(await findMessage(requester, conversation_id, message_id)).toMatchObject({ status: "complete", content });
  const shorter = toAnswerMessage(turn.run, { content: [], status: "interrupted", model: "m", usage: null });
  expect((await storeAnswerOfRun(requester, shorter)).status).toBe("complete");
});

it("executeTurn(), which generates the answer of a run, emits the stored answer and done when the response to the final write is lost", async () => {
  const turn = await startTurn("QUICK");
  const content = [{ type: "text" as const, text: "All of it" }];
  await addMessage(requester, toAnswerMessage(turn.run, { content, status: "complete", model: "m", usage: null }));
  turn.answer.text = "All of it";
  vi.stubEnv("GUARDRAIL_PROVIDER", "unknown-provider");
  const { message_id } = turn.run;
  expect((await Array.fromAsync(executeTurn(turn))).slice(-2)).toEqual([
    { type: "assistant_message", data: { message_id, content, final: true } },
    { type: "done", data: { message_id, block_count: 1 } },
  ]);
});

it("executeTurn() answers although the table throttles reads if the table recovers within a second", async () => {
  const turn = await startTurn("QUICK");
  vi.stubEnv("GUARDRAIL_PROVIDER", "local");
  const outage = table.throttleReads(() => sleep(1_000));
  expect((await Array.fromAsync(executeTurn(turn))).at(-1)?.type).toBe("done");
  await outage;
});

it("executeTurn() emits an error with the code unavailable and stores the answer as failed while the table throttles reads", async () => {
  const turn = await startTurn("QUICK");
  const events = await table.throttleReads(() => Array.fromAsync(executeTurn(turn)));
  expect(events.at(-1)).toMatchObject({ type: "error", data: { code: "unavailable", status: 503 } });
  expect(await findMessage(requester, turn.run.conversation_id, turn.run.message_id)).toMatchObject({
    status: "failed",
    error: { code: "unavailable" },
  });
});

it("executeTurn() with an invalid guardrail setting emits an error with the code internal_error, not model_error", async () => {
  vi.stubEnv("GUARDRAIL_PROVIDER", "unknown-provider");
  const events = await Array.fromAsync(executeTurn(await startTurn("QUICK")));
  expect(events.at(-1)).toMatchObject({ type: "error", data: { code: "internal_error", status: 500 } });
});

it.each(["new message", "regeneration"])(
  "followRun(), which continues the stream of a run, reports that the run of a %s was removed, so that clients send it again",
  async (kind) => {
    const turn = await startTurn("QUICK");
    const { message_id, conversation_id, user_message_id } = turn.run;
    const { source } = await followRun(requester, message_id);
    // A rollback leaves the question of a regeneration.
    const removed = [keys.run("t", message_id)];
    if (kind === "new message") removed.push(keys.message("t", conversation_id, user_message_id));
    await tenantTable(requester).deleteMany(removed);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      const answer = waitForAnswer(requester, turn.run, source);
      const outcome = expect(answer).rejects.toMatchObject({ code: "unavailable" });
      for (let step = 0; step < 5; step++) {
        await sleep(500);
        vi.setSystemTime(Date.now() + 8_000);
      }
      await outcome;
    } finally {
      vi.useRealTimers();
    }
    expect(await findMessage(requester, conversation_id, message_id)).toBeUndefined();
  },
);

it("followRun(), which continues the stream of a run, accepts the id of an event that a killed function streamed but did not log", async () => {
  const { run } = await startTurn("QUICK");
  const { message_id } = run;
  const delta: RunEvent = { type: "assistant_message", data: { message_id, content: "Half", final: false } };
  const done: RunEvent = { type: "done", data: { message_id, block_count: 1 } };
  await appendToRunLog(requester, message_id, [{ seq: 1, event: delta }]);
  await appendToRunLog(requester, message_id, [{ seq: 2, event: done }], { isReaper: true });
  const { source, afterSeq } = await followRun(requester, message_id, `${message_id}:9`);
  expect(await source.next(afterSeq, 0)).toEqual([{ seq: 2, event: done, isReaped: true }]);
});

it("followRun(), which continues the stream of a run, rejects the id of an event after the last event that the run itself logged", async () => {
  const { run } = await startTurn("QUICK");
  const { message_id } = run;
  await appendToRunLog(requester, message_id, [
    { seq: 1, event: { type: "done", data: { message_id, block_count: 0 } } },
  ]);
  await expect(followRun(requester, message_id, `${message_id}:9`)).rejects.toMatchObject({ code: "invalid_cursor" });
});
