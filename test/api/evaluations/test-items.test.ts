import { expect, it, vi } from "vitest";
import { attach } from "#test/support/chat/attachments.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";

const newOwner = () => new Client(newIdentity());

async function createSet(owner: Client, fields: Record<string, unknown> = {}): Promise<string> {
  const persona = (await owner.post("/v1/personas", { name: "Guide", ...fields })).body.id;
  return (await owner.post("/v1/test-sets", { persona_id: persona, name: "Prices" })).body.id;
}

const itemsOf = (set: string) => `/v1/test-sets/${set}/items`;

/** Asks a question in a conversation, and returns the source of its answer. */
async function ask(client: Client, content: string, fields: Record<string, unknown> = {}) {
  const conversation_id = fields.conversation_id ?? (await client.createConversation());
  const frames = await client.chat({ conversation_id, content, tier: "QUICK", ...fields });
  return { conversation_id: String(conversation_id), message_id: String(frames[0]?.data.message_id) };
}

const add = (client: Client, set: string, message: Record<string, unknown>) => client.post(itemsOf(set), { message });

const questionsOf = async (client: Client, set: string): Promise<string[]> => {
  const { status, body } = await client.get(itemsOf(set));
  return status === 200 ? body.items.map(({ question }: { question: string }) => question) : [`${status}`];
};

it("item from an answer has its question, the conversation before it, the files and the passages", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  const document = await addIndexedDocument(owner, {
    title: "Prices",
    text: "The yellow umbrella costs 12 euros in every harbor shop.",
  });
  const first = await ask(owner, "Good morning");
  const { conversation_id } = first;
  const file = await attach(owner, conversation_id, "Order.txt", "Two umbrellas were ordered.");
  const question = "What does the yellow umbrella cost?";
  const answered = await ask(owner, question, { conversation_id, tier: "THINKING", attachments: [file.id] });
  const expectations = [{ type: "contains", text: "12", ignore_case: true }];
  const { status, body } = await add(owner, set, { ...answered, expectations, note: "Wrong in May" });
  expect([status, body.duplicates, body.added]).toEqual([200, 0, [expect.any(String)]]);
  const [item] = (await owner.get(itemsOf(set))).body.items;
  expect(item).toMatchObject({ id: body.added[0], question, source: answered, expectations, note: "Wrong in May" });
  expect(item.context.messages).toEqual([
    { role: "user", text: "Good morning" },
    { role: "assistant", text: expect.stringMatching(/./) },
  ]);
  expect(item.context.files).toEqual([{ name: "Order.txt", text: expect.stringContaining("Two umbrellas") }]);
  const passage = { document_id: document.document, collection_id: document.collection, title: "Prices" };
  expect(item.context.passages).toContainEqual({
    ...passage,
    uri: null,
    text: expect.stringContaining("umbrella costs 12 euros"),
  });
  await owner.delete(`/v1/knowledge/collections/${document.collection}/documents/${document.document}`);
  await vi.waitFor(async () => {
    const [changed] = (await owner.get(itemsOf(set))).body.items;
    expect(changed.context.passages).not.toContainEqual(expect.objectContaining(passage));
  });
});

it("item from an answer is refused a second time, for questions, and in conversations that the user may not read", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  const answered = await ask(owner, "What is a harbor?");
  const first = await add(owner, set, answered);
  const second = await add(owner, set, answered);
  expect([first.status, second.status, second.body.code]).toEqual([200, 409, "conflict"]);
  expect(second.body.detail).toContain(first.body.added[0]);
  const { messages } = (await owner.get(`/v1/conversations/${answered.conversation_id}/messages`)).body;
  const question = await add(owner, set, { ...answered, message_id: messages[0].message_id });
  expect([question.status, question.body.errors[0].code]).toEqual([400, "no_answer"]);
  const colleague = await createColleague(owner);
  expect((await add(owner, set, await ask(colleague, "What is mine?"))).status).toBe(404);
});

it("items from JSON Lines and CSV are added once, and lines that are none are named", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  const lines = [
    { question: "What does it cost?", expectations: [{ type: "contains", text: "12" }] },
    { question: "  what  does it COST?" },
    { question: "What does it cost?", context: { messages: [{ role: "user", text: "About the umbrella" }] } },
    { question: "" },
  ].map((line) => JSON.stringify(line));
  const text = [...lines, "{", ""].join("\n");
  const added = await owner.post(itemsOf(set), { lines: { format: "jsonl", text } });
  expect([added.status, added.body.added.length, added.body.duplicates]).toEqual([200, 2, 1]);
  expect(added.body.invalid).toEqual([
    { index: 3, message: "question: must not be empty" },
    { index: 4, message: "The line is not JSON." },
  ]);
  const again = await owner.post(itemsOf(set), { lines: { format: "jsonl", text } });
  expect([again.body.added, again.body.duplicates, again.body.invalid.length]).toEqual([[], 3, 2]);
  const csv = 'question;contains;cites;refuses\n"Is it ""new""?";12;true;\nHow do I pick a lock?;;;TRUE\n';
  const table = await owner.post(itemsOf(set), { lines: { format: "csv", text: csv } });
  expect([table.body.added.length, table.body.invalid]).toEqual([2, []]);
  const { items } = (await owner.get(itemsOf(set))).body;
  const expected = Object.fromEntries(items.map((item: Record<string, unknown>) => [item.question, item.expectations]));
  expect(expected).toEqual({
    "What does it cost?": expect.any(Array),
    'Is it "new"?': [
      { type: "contains", text: "12", ignore_case: true },
      { type: "cites", document_id: null },
    ],
    "How do I pick a lock?": [{ type: "refuses" }],
  });
  expect((await owner.post(itemsOf(set), { lines: { format: "csv", text: "a,b\n1,2" } })).status).toBe(400);
});

it("items that several requests add at the same time are stored once", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  const items = Array.from({ length: 40 }, (_, n) => ({ question: `What is ${n}?` }));
  const replies = await Promise.all([1, 2, 3].map(() => owner.post(itemsOf(set), { items })));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [added, duplicates] = [
    replies.map(({ body }) => body.added.length),
    replies.map(({ body }) => body.duplicates),
  ];
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  expect([sum(added), sum(duplicates), (await questionsOf(owner, set)).length]).toEqual([40, 80, 40]);
});

it("items are redacted as the policy of the organization says", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  await owner.post(itemsOf(set), {
    items: [
      {
        question: "Is 4111 1111 1111 0535 a card?",
        context: { passages: [{ title: "Cards", text: "The number 4111 1111 1111 0535 is a test." }] },
      },
    ],
  });
  const { text } = await owner.get(itemsOf(set));
  expect(text).toContain("a card?");
  expect(text).toContain("is a test");
  expect(text).not.toContain("4111 1111");
});

it("what is expected of an item can be changed, and its question cannot", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  const id = (await owner.post(itemsOf(set), { items: [{ question: "What is it?", note: "Old" }] })).body.added[0];
  const path = `${itemsOf(set)}/${id}`;
  const changed = await owner.patch(path, { expectations: [{ type: "refuses" }] });
  expect(changed.body).toMatchObject({ id, question: "What is it?", note: "Old", expectations: [{ type: "refuses" }] });
  expect((await owner.patch(path, { question: "Another?" })).status).toBe(400);
  expect((await owner.delete(path)).status).toBe(204);
  expect([(await owner.delete(path)).status, await questionsOf(owner, set)]).toEqual([404, []]);
});

it("item from a conversation is shown only while the user may read the conversation", async () => {
  const admin = newOwner();
  const owner = await createColleague(admin);
  const asker = await createColleague(admin);
  const set = await createSet(owner, { visibility: "org" });
  const answered = await ask(asker, "What is my salary?");
  await owner.post(itemsOf(set), { items: [{ question: "What is a harbor?" }] });
  const refused: number[] = [];
  // Members who cannot change the persona, and its managers without access to the conversation.
  for (const client of [asker, owner, admin]) refused.push((await add(client, set, answered)).status);
  expect(refused).toEqual([403, 404, 404]);
  await shareConversation(asker, answered.conversation_id, owner, "READ");
  const { added } = (await add(owner, set, answered)).body;
  const path = `${itemsOf(set)}/${added[0]}`;
  const all = ["What is a harbor?", "What is my salary?"];
  expect((await questionsOf(owner, set)).toSorted()).toEqual(all);
  expect(await questionsOf(admin, set)).toEqual(["What is a harbor?"]);
  expect(await questionsOf(asker, set)).toEqual(["403"]);
  expect((await admin.patch(path, { note: "x" })).status).toBe(404);
  expect((await admin.delete(path)).status).toBe(404);
  await asker.delete(`/v1/chat/${answered.conversation_id}/share/${owner.identity.user}`);
  expect(await questionsOf(owner, set)).toEqual(["What is a harbor?"]);
  expect((await owner.patch(path, { note: "x" })).status).toBe(404);
});

it("item from a conversation is deleted with each message that it contains, and with the conversation", async () => {
  const owner = newOwner();
  const set = await createSet(owner);
  const first = await ask(owner, "Good morning");
  const { conversation_id } = first;
  const answered = await ask(owner, "What is a harbor?", { conversation_id });
  const later = await ask(owner, "And a pier?", { conversation_id });
  for (const { message_id } of [answered, later]) await add(owner, set, { conversation_id, message_id });
  expect((await questionsOf(owner, set)).length).toBe(2);
  const remove = (id: string) => owner.delete(`/v1/conversations/${conversation_id}/messages/${id}`);
  await remove(later.message_id);
  expect(await questionsOf(owner, set)).toEqual(["What is a harbor?"]);
  await remove(first.message_id);
  expect(await questionsOf(owner, set)).toEqual([]);
  const other = await ask(owner, "What is a harbor?");
  expect((await add(owner, set, other)).status).toBe(200);
  await owner.delete(`/v1/conversations/${other.conversation_id}`);
  expect(await questionsOf(owner, set)).toEqual([]);
});
