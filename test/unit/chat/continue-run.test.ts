import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { continueRun } from "#shared/chat/continue-run.ts";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { getApproval, newApproval, newApprovalWrites } from "#shared/governance/approvals/approval-store.ts";
import { newId } from "#shared/lib/ids.ts";
import { pauseRun, resumePausedRun } from "#shared/runs/pauses/paused-run-store.ts";
import { readRunControl, writeRunControl } from "#shared/runs/run-control-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

const request = {
  type: "tool_execution",
  risk_level: "high",
  action: { operation: "create_note", params: { title: "Late" } },
} as const;

/** Creates a paused run with an approved approval; without an id, its conversation does not exist. */
async function createApprovedRun(conversationId = newId()): Promise<{ messageId: string; approvalId: string }> {
  const messageId = newId();
  const approval = {
    ...newApproval("asker", request),
    run: { message_id: messageId, conversation_id: conversationId },
  };
  await tenantTable(scope).write({
    put: {
      ...keys.run(scope.tenantId, messageId),
      ...approval.run,
      user_message_id: newId(),
      user_id: "asker",
      request_id: "request",
      parent_id: null,
      persona_id: null,
      tier: "THOUGHT_PARTNER",
      model: "m",
      created_at: new Date().toISOString(),
    },
  });
  await pauseRun(scope, approval, [JSON.stringify({ modelId: "m", usage: {}, prompt: { messages: [] } })]);
  await tenantTable(scope).write({ update: keys.approval(scope.tenantId, approval.id), set: { status: "approved" } });
  return { messageId, approvalId: approval.id };
}

it("continueRun(), which resumes a chat run after an approval, leaves the run waiting for its next approval when an earlier approval is delivered again", async () => {
  const conversation = newConversation("asker", {
    title: "Waiting",
    tier: "THOUGHT_PARTNER",
    folder_id: null,
    persona_id: null,
  });
  await tenantTable(scope).transact(newConversationWrites(scope, conversation));
  const { messageId, approvalId } = await createApprovedRun(conversation.id);
  const before = await readRunControl(scope, messageId, { consistent: true });
  expect(before.waits_until).toBeGreaterThan(Date.now());
  const earlier = {
    ...newApproval("asker", request),
    run: { message_id: messageId, conversation_id: conversation.id },
  };
  await tenantTable(scope).transact(newApprovalWrites(scope, earlier));
  await tenantTable(scope).write({ update: keys.approval(scope.tenantId, earlier.id), set: { status: "approved" } });
  await continueRun({ ...scope, messageId, approvalId: earlier.id });
  expect(await readRunControl(scope, messageId, { consistent: true })).toEqual(before);
  expect((await resumePausedRun(scope, messageId, { approval_id: approvalId }))?.approvalId).toBe(approvalId);
  expect(await resumePausedRun(scope, messageId, { approval_id: approvalId })).toBeNull();
  expect((await readRunControl(scope, messageId, { consistent: true })).waits_until).toBe(0);
});

it("continueRun(), which resumes a chat run after an approval, restores a paused run whose state is larger than a DynamoDB item", async () => {
  const character = () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 3_000));
  const long = Array.from({ length: 120_000 }, character).join("");
  const state = JSON.stringify({ history: long, prompt: long });
  const messageId = newId();
  const approval = { ...newApproval("asker", request), run: { message_id: messageId, conversation_id: newId() } };
  await pauseRun(scope, approval, [state]);
  expect((await resumePausedRun(scope, messageId, { approval_id: approval.id }))?.state === state).toBe(true);
});

it("continueRun(), which resumes a chat run after an approval, restores the first of several serialized states that fits into a table item", async () => {
  const messageId = newId();
  const approval = { ...newApproval("asker", request), run: { message_id: messageId, conversation_id: newId() } };
  const tooLong = randomBytes(400_000).toString("base64");
  await pauseRun(scope, approval, [tooLong, "fits", "is shorter"]);
  expect((await resumePausedRun(scope, messageId, { approval_id: approval.id }))?.state).toBe("fits");
});

it("continueRun(), which resumes a chat run after an approval, finds nothing to resume when a stop was requested before the run paused", async () => {
  const messageId = newId();
  const approval = { ...newApproval("asker", request), run: { message_id: messageId, conversation_id: newId() } };
  await writeRunControl(scope, messageId, { stop: true });
  expect(await pauseRun(scope, approval, ["{}"])).toBe(false);
  expect(await resumePausedRun(scope, messageId, { approval_id: approval.id })).toBeNull();
  await expect(getApproval(scope, approval.id)).rejects.toMatchObject({ code: "not_found" });
});

const itemsOfRun = (messageId: string) =>
  tenantTable(scope).query({ pk: keys.run(scope.tenantId, messageId).pk, consistent: true });

it("continueRun(), which resumes a chat run after an approval, marks the approval as failed and removes the run when its conversation was deleted", async () => {
  const { messageId, approvalId } = await createApprovedRun();
  await continueRun({ ...scope, messageId, approvalId });
  expect((await getApproval(scope, approvalId)).result).toMatchObject({ status: "failed" });
  expect(await itemsOfRun(messageId)).toEqual([]);
});

it("continueRun(), which resumes a chat run after an approval, marks the approval as failed when the run's saved state was deleted", async () => {
  const { messageId, approvalId } = await createApprovedRun();
  await tenantTable(scope).write({ delete: keys.pausedRun(scope.tenantId, messageId) });
  await continueRun({ ...scope, messageId, approvalId });
  expect((await getApproval(scope, approvalId)).result).toMatchObject({ status: "failed" });
  expect(await itemsOfRun(messageId)).toEqual([]);
});
