import { afterAll, beforeAll, expect, it } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import {
  claimEnd,
  findSlackEvent,
  recordSlackEvent,
  type SlackMessage,
  startWrite,
} from "#shared/slack/event-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table?.stop());

it("a message of Slack is stored, started and ended once", async () => {
  const scope = { tenantId: "acme" };
  const place = {
    workspace_id: "w1",
    event_id: "C1#1.1",
    channel: "C1",
    thread_ts: "1.1",
    base_url: "https://a.example",
  };
  const person = { slack_user: "U1", slack_user_name: null, is_direct: false };
  const message: SlackMessage = { ...place, ...person, kind: "message", state: "received", text: "Hello" };
  const start = () => tenantTable(scope).write(startWrite(scope, message, { conversation_id: "c", message_id: "m" }));
  expect(await recordSlackEvent(scope, message)).toBe(true);
  await start();
  // A repeated delivery must not reset what has begun.
  expect(await recordSlackEvent(scope, message)).toBe(false);
  expect(await findSlackEvent(scope, message)).toMatchObject({ state: "started", message_id: "m" });
  await expect(start()).rejects.toThrow();
  expect([await claimEnd(scope, message), await claimEnd(scope, message)]).toEqual([true, false]);
});
