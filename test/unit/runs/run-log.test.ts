import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#shared/lib/ids.ts";
import type { Frame } from "#shared/runs/events.ts";
import { RunLog } from "#shared/runs/run-log.ts";
import { appendToRunLog, readRunLog } from "#shared/runs/run-log-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

describe("RunLog", () => {
  let table: MeteredTable;

  beforeAll(async () => {
    table = await startMeteredTable();
    vi.spyOn(console, "error").mockImplementation(() => {});
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
  ])("keeps all frames when a segment %s", async (_, withFault) => {
    const messageId = newId();
    const onConflict = vi.fn();
    const runLog = new RunLog(scope, messageId, onConflict);
    await withFault(async () => {
      runLog.add(frame(messageId, 1));
      await runLog.drain();
    });
    for (const seq of [2, 3]) {
      runLog.add(frame(messageId, seq));
      await runLog.drain();
    }
    expect(onConflict).not.toHaveBeenCalled();
    expect((await readRunLog(scope, messageId)).frames).toEqual([1, 2, 3].map((seq) => frame(messageId, seq)));
  });

  it("stops writing when another function has continued the log", async () => {
    const messageId = newId();
    const onConflict = vi.fn();
    const runLog = new RunLog(scope, messageId, onConflict);
    await appendToRunLog(scope, messageId, [frame(messageId, 1), frame(messageId, 2)]);
    for (const seq of [1, 2, 3]) {
      runLog.add(frame(messageId, seq));
      await runLog.drain();
    }
    expect(onConflict).toHaveBeenCalledOnce();
    expect((await readRunLog(scope, messageId)).frames.map(({ seq }) => seq)).toEqual([1, 2]);
  });
});
