import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { getApproval, newApproval, newApprovalWrites } from "#shared/governance/approvals/approval-store.ts";
import type { MessengerClient } from "#shared/messengers/client.ts";
import { applyAction } from "#shared/messengers/decide-approval.ts";
import { type MessengerAction, recordEvent } from "#shared/messengers/event-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "acme" };

vi.mock("#shared/messengers/find-person.ts", () => ({
  findPerson: async () => ({ kind: "user", tenantId: "acme", userId: "ada", roles: [] }),
}));

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table?.stop());

/** Presses a button in a workspace, for an approval that another workspace or the same one asked for. */
async function press(pressedIn: string, askedIn: string) {
  const messenger = "teams" as const;
  const approval = {
    ...newApproval("ada", {
      type: "tool_execution",
      risk_level: "high",
      decider: "requester",
      action: { operation: "create_note", params: {} },
    }),
    run: {
      message_id: "m",
      conversation_id: "c",
      messenger_event: { messenger, workspace_id: askedIn, event_id: "e" },
    },
  };
  await tenantTable(scope).transact(newApprovalWrites(scope, approval));
  const action: MessengerAction = {
    ...{ messenger, workspace_id: pressedIn, event_id: `action#${approval.id}`, kind: "action", state: "received" },
    ...{ channel: "C", thread_id: "1", base_url: "https://a.example", account_id: "U", account_name: null },
    ...{ is_direct: false, approval_id: approval.id, decision: "approve", card_id: "1" },
  };
  await recordEvent(scope, action);
  const told: string[] = [];
  const client = { tell: async (_: unknown, text: string) => void told.push(text), showDecision: async () => {} };
  await applyAction(scope, client as unknown as MessengerClient, action);
  return [(await getApproval(scope, approval.id)).status, told.length];
}

it("approval button in a messenger decides only an approval that its own workspace requested", async () => {
  expect(await press("w1", "w1")).toEqual(["approved", 0]);
  expect(await press("w2", "w1")).toEqual(["pending", 1]);
});
