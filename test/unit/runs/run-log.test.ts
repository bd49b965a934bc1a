import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "#shared/lib/ids.ts";
import type { Frame } from "#shared/runs/events.ts";
import { RunLog } from "#shared/runs/run-log.ts";
import { appendToRunLog, readRunLog } from "#shared/runs/run-log-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await table?.stop();
});

const frame = (messageId: string, seq: number): Frame => ({
  seq,
  event: { type: "assistant_message", data: { message_id: messageId, content: `word${seq} `, final: false } },
});

it.each<[string, (work: () => Promise<void>) => Promise<void>]>([
  ["fails to be written", (work) => table.failAfter(0, work)],
  ["is written without acknowledgement", (work) => table.loseResponses(work)],
])("RunLog, which stores the events of a run, keeps all events when a segment of the log %s", async (_, withFault) => {
  const messageId = newId();
  const runLog = new RunLog(scope, messageId);
  await withFault(async () => {
    runLog.add(frame(messageId, 1));
    await sleep(1_000);
  });
  for (const seq of [2, 3]) {
    runLog.add(frame(messageId, seq));
    await runLog.drain();
  }
  expect((await readRunLog(scope, messageId)).frames).toEqual([1, 2, 3].map((seq) => frame(messageId, seq)));
});

it("RunLog, which stores the events of a run, stores pending events once the table is available again", async () => {
  const messageId = newId();
  const runLog = new RunLog(scope, messageId);
  let drained: Promise<void> | undefined;
  await table.failAfter(0, async () => {
    runLog.add(frame(messageId, 1));
    drained = runLog.drain();
    await sleep(500);
  });
  await drained;
  expect((await readRunLog(scope, messageId)).frames).toEqual([frame(messageId, 1)]);
});

it("RunLog, which stores the events of a run, keeps all events when the response to a write is lost and the table then fails", async () => {
  const messageId = newId();
  const runLog = new RunLog(scope, messageId);
  await table.loseResponses(async () => {
    runLog.add(frame(messageId, 1));
    await sleep(1_500);
  });
  let drained: Promise<void> | undefined;
  await table.failAfter(0, async () => {
    runLog.add(frame(messageId, 2));
    drained = runLog.drain();
    await sleep(1_000);
  });
  await drained;
  expect((await readRunLog(scope, messageId)).frames).toEqual([1, 2].map((seq) => frame(messageId, seq)));
});

it("RunLog, which stores the events of a run, does not overwrite events that another function appended", async () => {
  const messageId = newId();
  const runLog = new RunLog(scope, messageId);
  await appendToRunLog(scope, messageId, [frame(messageId, 1), frame(messageId, 2)]);
  for (const seq of [1, 2, 3]) {
    runLog.add(frame(messageId, seq));
    await runLog.drain();
  }
  expect((await readRunLog(scope, messageId)).frames.map(({ seq }) => seq)).toEqual([1, 2]);
});

it("RunLog, which stores the events of a run, replaces the final event that the run reaper appended to an active run", async () => {
  const messageId = newId();
  const runLog = new RunLog(scope, messageId);
  const interrupted: Frame = {
    seq: 2,
    event: { type: "interrupted", data: { message_id: messageId, reason: "shutdown", saved_characters: 6 } },
  };
  runLog.add(frame(messageId, 1));
  await runLog.drain();
  await appendToRunLog(scope, messageId, [interrupted], { isReaper: true });
  for (const seq of [2, 3, 4]) runLog.add(frame(messageId, seq));
  await runLog.drain();
  expect((await readRunLog(scope, messageId)).frames).toEqual([1, 2, 3, 4].map((seq) => frame(messageId, seq)));
});

it("RunLog, which stores the events of a run, splits events of two million characters into segments that fit into table items", async () => {
  const messageId = newId();
  const runLog = new RunLog(scope, messageId);
  const frames = Array.from({ length: 100 }, (_, index): Frame => {
    const content = randomBytes(10_000).toString("hex");
    return {
      seq: index + 1,
      event: { type: "assistant_message", data: { message_id: messageId, content, final: false } },
    };
  });
  for (const each of frames) runLog.add(each);
  await runLog.drain();
  expect((await readRunLog(scope, messageId)).frames).toEqual(frames);
});

it("RunLog, which stores the events of a run, reports events as stored in order, and only once they are stored", async () => {
  const messageId = newId();
  const reported: number[] = [];
  const runLog = new RunLog(scope, messageId, async (frames) => {
    reported.push(...frames.map(({ seq }) => seq));
  });
  await table.failAfter(0, async () => {
    runLog.add(frame(messageId, 1));
    await sleep(600);
    expect(reported).toEqual([]);
  });
  runLog.add(frame(messageId, 2));
  await runLog.drain();
  expect(reported).toEqual([1, 2]);
});
