import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { continueRun } from "#shared/chat/continue-run.ts";
import { getApproval, newApproval } from "#shared/data/approval-store.ts";
import { keys } from "#shared/data/keys.ts";
import { pauseRun } from "#shared/data/paused-run-store.ts";
import { tableOf } from "#shared/data/tenant-scope.ts";
import { newId } from "#shared/ids.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/metered-table.ts";

const scope = { tenantId: "t" };

describe("a run that is allowed to go on", () => {
  let table: MeteredTable;

  beforeAll(async () => {
    table = await startMeteredTable();
  });

  afterAll(() => table?.stop());

  /** A run whose conversation is gone, while nothing else of it is; its approval was approved. */
  async function decidedTooLate(): Promise<{ messageId: string; approvalId: string }> {
    const messageId = newId();
    const action = { operation: "create_note", params: { title: "Late" } };
    const approval = {
      ...newApproval("asker", { type: "tool_execution", risk_level: "high", action }),
      run: { message_id: messageId, conversation_id: newId() },
    };
    await tableOf(scope).write({
      put: {
        ...keys.run(scope.tenantId, messageId),
        ...approval.run,
        user_id: "asker",
        created_at: new Date().toISOString(),
      },
    });
    await pauseRun(scope, approval, JSON.stringify({ modelId: "m", usage: {}, prompt: { messages: [] } }));
    await tableOf(scope).write({ update: keys.approval(scope.tenantId, approval.id), set: { status: "approved" } });
    return { messageId, approvalId: approval.id };
  }

  const leftOf = (messageId: string) =>
    tableOf(scope).query({ pk: keys.run(scope.tenantId, messageId).pk, consistent: true });

  it("says that nothing came of it where its conversation was deleted, and leaves nothing behind", async () => {
    const { messageId, approvalId } = await decidedTooLate();
    await continueRun({ ...scope, messageId, approvalId });
    expect((await getApproval(scope, approvalId)).result).toMatchObject({ status: "failed" });
    expect(await leftOf(messageId)).toEqual([]);
  });

  it("says so too where what was put aside went first", async () => {
    const { messageId, approvalId } = await decidedTooLate();
    await tableOf(scope).write({ delete: keys.pausedRun(scope.tenantId, messageId) });
    await continueRun({ ...scope, messageId, approvalId });
    expect((await getApproval(scope, approvalId)).result).toMatchObject({ status: "failed" });
    expect(await leftOf(messageId)).toEqual([]);
  });
});
