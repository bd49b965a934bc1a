import { afterAll, beforeAll, expect, it } from "vitest";
import { editMessage } from "#shared/conversations/message-revisions.ts";
import {
  addMessage,
  deleteMessage,
  listMessagesBefore,
  type StoredMessage,
} from "#shared/conversations/message-store.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it("listMessagesBefore() returns all earlier messages by a strongly consistent read", async () => {
  const [first, second, question] = Array.from({ length: 3 }, () => newUserMessage("c", "Hi")) as [
    StoredMessage,
    StoredMessage,
    StoredMessage,
  ];
  for (const entry of [first, second, question]) await addMessage(scope, entry);
  let earlier: readonly StoredMessage[] = [];
  const { read } = await table.measure(async () => {
    earlier = await listMessagesBefore(scope, question, 40);
  });
  expect(earlier.map(({ message_id }) => message_id)).toEqual([first.message_id, second.message_id]);
  // An eventually consistent read would consume 0.5 units.
  expect(read).toBe(1);
});

it("editMessage() throws different errors for a concurrent edit and for a missing message", async () => {
  const read = newUserMessage("c", "Hi");
  const edit = () => editMessage(scope, read, [{ type: "text", text: "Hello" }], "u");
  await expect(edit()).rejects.toMatchObject({ code: "not_found" });
  await addMessage(scope, read);
  await edit();
  await expect(edit()).rejects.toMatchObject({ code: "conflict" });
});

it("deleteMessage() throws not_found and does not recreate the conversation when the conversation has expired", async () => {
  const orphan = newUserMessage("expired", "Hi");
  await addMessage(scope, orphan);
  await expect(deleteMessage(scope, orphan)).rejects.toMatchObject({ code: "not_found" });
  expect(await table.get("t#conversation#expired", "conversation")).toBeUndefined();
});
