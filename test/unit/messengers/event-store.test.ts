import { afterAll, beforeAll, expect, it } from "vitest";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { claimEnd, findEvent, type MessengerMessage, recordEvent, startWrite } from "#shared/messengers/event-store.ts";
import { findLinkedUser } from "#shared/messengers/link-store.ts";
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

it("items that were stored for Slack before other messengers existed can be read", async () => {
  const scope = { tenantId: "acme" };
  const event = {
    workspace_id: "w2",
    event_id: "C1#2.1",
    channel: "C1",
    thread_ts: "2.1",
    base_url: "https://a.example",
  };
  const person = { slack_user: "U1", slack_user_name: "Ada", is_direct: false };
  const message = { kind: "message", state: "started", text: "Hello", reply: { ts: "2.2", is_stream: true } };
  const put = (item: Record<string, unknown>) => tenantTable(scope).write({ put: item as never });
  await put({
    ...keys.messengerEvent("acme", "w2", "C1#2.1"),
    discriminator: "messenger-event",
    ...event,
    ...person,
    ...message,
  });
  const ref = { messenger: "slack", workspace_id: "w2", event_id: "C1#2.1" } as const;
  expect(await findEvent(scope, ref)).toMatchObject({
    messenger: "slack",
    thread_id: "2.1",
    account_id: "U1",
    account_name: "Ada",
    reply: { id: "2.2", is_stream: true },
  });
  const link = {
    id: "w2.U1",
    workspace_id: "w2",
    workspace_name: "W",
    user_id: "ada",
    created_at: "2026-11-01T00:00:00Z",
  };
  const account = { slack_user_id: "U1", slack_user_name: null };
  await put({ ...keys.messengerLink("acme", "w2", "U1"), discriminator: "messenger-link", ...link, ...account });
  expect(await findLinkedUser(scope, { workspace_id: "w2", account_id: "U1" })).toBe("ada");
});
