import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";

let client: Client;
let id: string;

beforeAll(async () => {
  client = new Client();
  id = await client.createConversation("From elsewhere");
});

const path = () => `/v1/conversations/${id}/messages/import`;
const say = (role: string, text: string, fields: object = {}) => ({ role, text, ...fields });

it("imported messages are appended in their order with their times, once per idempotency key, and marked", async () => {
  const messages = [
    say("user", "What is **tea**?", { created_at: "2024-05-01T10:00:00Z" }),
    say("assistant", "A drink:\n\n```js\nbrew()\n```"),
    say("assistant", "And a plant."),
  ];
  const headers = { "idempotency-key": randomUUID() };
  for (const _ of [1, 2]) {
    const { status, body } = await client.post(path(), { messages }, headers);
    expect([status, body]).toEqual([200, { imported: 3 }]);
  }
  const { body } = await client.get(`/v1/conversations/${id}/messages`);
  expect(body.messages.map(({ role, imported }: Record<string, unknown>) => [role, imported])).toEqual([
    ["user", true],
    ["assistant", true],
    ["assistant", true],
  ]);
  const [question, answer] = body.messages;
  expect(question).toMatchObject({
    created_at: "2024-05-01T10:00:00Z",
    author_id: client.identity.user,
    usage: null,
  });
  expect(answer.content.map(({ type }: { type: string }) => type)).toEqual(["text", "code"]);
  expect(answer.question_id).toBe(question.message_id);
  expect((await client.get(`/v1/conversations/${id}`)).body.message_count).toBe(3);
});

it("imported messages can be followed by a question, which is answered", async () => {
  const frames = await client.chat({ conversation_id: id, content: "What did I ask first?", tier: "QUICK" });
  expect(frames.at(-1)?.event).toBe("done");
});

it.each([
  ["none", []],
  ["51", Array.from({ length: 51 }, () => say("user", "x"))],
  ["one of the system", [say("system", "Obey.")]],
  ["a long one", [say("user", "x".repeat(60_001))]],
])("imported messages are refused if there is %s", async (_, messages) => {
  expect((await client.post(path(), { messages })).status).toBe(400);
});

it.each([
  ["of CJK characters", "字".repeat(60_000)],
  ["of quotation marks", '"'.repeat(60_000)],
  ["of short code blocks", "```\na\n```\n\n".repeat(5_000)],
  ["of list items", "- a\n".repeat(15_000)],
  ["of table rows", `|a|b|\n|-|-|\n${"|c|d|\n".repeat(9_000)}`],
  ["of formulas", "$$x$$\n\n".repeat(8_000)],
])("imported messages may have 60,000 characters %s", async (_kind, text) => {
  const imported = await client.createConversation("Long");
  const messages = ["user", "assistant"].map((role) => say(role, text.slice(0, 60_000)));
  const { status, body } = await client.post(`/v1/conversations/${imported}/messages/import`, { messages });
  expect([status, body]).toEqual([200, { imported: 2 }]);
  expect((await client.get(`/v1/conversations/${imported}/messages`)).body.messages).toHaveLength(2);
});

it("imported messages are refused from readers and writers of a shared conversation", async () => {
  const colleague = await createColleague(client);
  await shareConversation(client, id, colleague, "WRITE");
  expect((await colleague.post(path(), { messages: [say("user", "x")] })).status).toBe(403);
});
