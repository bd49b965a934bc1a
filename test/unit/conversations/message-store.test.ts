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

it("messagesBefore returns all earlier messages with a consistent read", async () => {
  const [first, second, question] = Array.from({ length: 3 }, () => ({ ...message, message_id: newId() }));
  for (const entry of [first, second, question]) await addMessage(scope, entry as unknown as StoredMessage);
  let earlier: readonly StoredMessage[] = [];
  const { read } = await table.measure(async () => {
    earlier = await messagesBefore(scope, question as unknown as StoredMessage, 40);
  });
  expect(earlier.map(({ message_id }) => message_id)).toEqual([first?.message_id, second?.message_id]);
  // An eventually consistent read would consume 0.5 units.
  expect(read).toBe(1);
});

it("editMessage distinguishes a concurrent edit from a missing message", async () => {
  const read = { ...message, message_id: newId(), edited_at: null } as unknown as StoredMessage;
  const edit = () => editMessage(scope, read, [{ type: "text", text: "Hello" }], "u");
  await expect(edit()).rejects.toMatchObject({ code: "not_found" });
  await addMessage(scope, read);
  await edit();
  await expect(edit()).rejects.toMatchObject({ code: "conflict" });
});

it("deleteMessage does not recreate an expired conversation as a bare counter", async () => {
  const orphan = { ...message, conversation_id: "expired", message_id: newId() } as unknown as StoredMessage;
  await addMessage(scope, orphan);
  await expect(deleteMessage(scope, orphan)).rejects.toMatchObject({ code: "not_found" });
  expect(await table.get("t#conversation#expired", "conversation")).toBeUndefined();
});
