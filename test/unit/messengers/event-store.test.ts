import { afterAll, beforeAll, expect, it } from "vitest";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { claimEnd, findEvent, type MessengerMessage, recordEvent, startWrite } from "#shared/messengers/event-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table?.stop());

it("message of a messenger is stored, started and ended once although it is delivered repeatedly", async () => {
  const scope = { tenantId: "acme" };
  const place = {
    messenger: "slack" as const,
    workspace_id: "w1",
    event_id: "C1#1.1",
    channel: "C1",
    thread_id: "1.1",
    base_url: "https://a.example",
  };
  const person = { account_id: "U1", account_name: null, is_direct: false };
  const message: MessengerMessage = { ...place, ...person, kind: "message", state: "received", text: "Hello" };
  const start = () => tenantTable(scope).write(startWrite(scope, message, { conversation_id: "c", message_id: "m" }));
  expect(await recordEvent(scope, message)).toBe(true);
  await start();
  // A repeated delivery must not reset what has begun.
  expect(await recordEvent(scope, message)).toBe(false);
  expect(await findEvent(scope, message)).toMatchObject({ state: "started", message_id: "m" });
  await expect(start()).rejects.toThrow();
  expect([await claimEnd(scope, message), await claimEnd(scope, message)]).toEqual([true, false]);
});
