import { afterAll, beforeAll, expect, it } from "vitest";
import {
  addMessage,
  deleteMessage,
  editMessage,
  messagesBefore,
  type StoredMessage,
} from "#shared/conversations/message-store.ts";
import { newId } from "#shared/lib/ids.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

const message = { conversation_id: "c", role: "user", content: [{ type: "text", text: "Hi" }] };

it("a turn reads what was said before it, also what was said just now", async () => {
  const [first, second, asked] = Array.from({ length: 3 }, () => ({ ...message, message_id: newId() }));
  for (const each of [first, second, asked]) await addMessage(scope, each as unknown as StoredMessage);
  let found: readonly StoredMessage[] = [];
  const { read } = await table.measure(async () => {
    found = await messagesBefore(scope, asked as unknown as StoredMessage, 40);
  });
  expect(found.map(({ message_id }) => message_id)).toEqual([first?.message_id, second?.message_id]);
  // Half of it would be a read that may not know yet what was written a moment ago.
  expect(read).toBe(1);
});

it("an edit says whether the message was changed since it was read, or is gone", async () => {
  const read = { ...message, message_id: newId(), edited_at: null } as unknown as StoredMessage;
  const edit = () => editMessage(scope, read, [{ type: "text", text: "Hello" }], "u");
  await expect(edit()).rejects.toMatchObject({ code: "not_found" });
  await addMessage(scope, read);
  await edit();
  await expect(edit()).rejects.toMatchObject({ code: "conflict" });
});

it("a message that outlives its conversation is not deleted in a way that brings it back as a count", async () => {
  const left = { ...message, conversation_id: "expired", message_id: newId() } as unknown as StoredMessage;
  await addMessage(scope, left);
  await expect(deleteMessage(scope, left)).rejects.toMatchObject({ code: "not_found" });
  expect(await table.get("t#conversation#expired", "conversation")).toBeUndefined();
});
