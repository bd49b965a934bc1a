import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

async function createExchange(client: Client, content = "Question") {
  const id = await client.createConversation();
  const [{ data } = { data: {} }] = await client.chat({ conversation_id: id, content, tier: "QUICK" });
  return { id, question: data.user_message_id as string, answer: data.message_id as string };
}

it("message of a conversation keeps a revision of its text for each edit", async () => {
  const client = new Client();
  const { id, question, answer } = await createExchange(client);
  const path = `/v1/conversations/${id}/messages/${question}`;
  const first = await client.patch(path, { content: "Better question" });
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ message_id: question, content: [{ type: "text", text: "Better question" }] });
  expect(first.body.edited_at).not.toBeNull();
  await client.patch(path, { content: [{ type: "code", language: "ts", code: "1" }] });
  const { body } = await client.get(`${path}/revisions`);
  expect(body.revisions.map(({ content }: { content: { text: string }[] }) => content[0]?.text)).toEqual([
    "Better question",
    "Question",
  ]);
  const editResponse = await client.patch(`/v1/conversations/${id}/messages/${answer}`, { content: "- a\n- b" });
  expect(editResponse.body.content).toEqual([{ type: "list", ordered: false, items: ["a", "b"] }]);
  for (const content of ["", [], [{ type: "spell", text: "x" }], 1]) {
    expect((await client.patch(path, { content })).status).toBe(400);
  }
  const invalidContent = [{ type: "text", text: "x" }, { type: "text", colour: "red" }, { type: "spell" }];
  const { status, body: problem } = await client.patch(path, { content: invalidContent });
  expect(status).toBe(400);
  expect(problem.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
    ["content.1.text", "required"],
    ["content.1.colour", "unknown_field"],
    ["content.2.type", "invalid_value"],
  ]);
});

it("message of a conversation keeps a revision for each edit that is accepted when eight edits are concurrent", async () => {
  const client = new Client();
  const { id, question } = await createExchange(client);
  const path = `/v1/conversations/${id}/messages/${question}`;
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => (await client.patch(path, { content: `v${n}` })).status),
  );
  const edits = statuses.filter((status) => status === 200).length;
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  expect((await client.get(`${path}/revisions`)).body.revisions.length).toBe(edits);
});

it("message of a conversation is deleted with its revisions and run log", async () => {
  const client = new Client();
  const { id, question, answer } = await createExchange(client);
  const path = `/v1/conversations/${id}/messages/${answer}`;
  await client.patch(path, { content: "changed" });
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.delete(path)).status).toBe(404);
  expect((await client.get(`${path}/revisions`)).status).toBe(404);
  expect((await client.get(`/v1/runtime/chat/${answer}/stream`)).status).toBe(404);
  const { body } = await client.get(`/v1/conversations/${id}/messages`);
  expect(body.messages.map(({ message_id }: { message_id: string }) => message_id)).toEqual([question]);
  expect((await client.get(`/v1/conversations/${id}`)).body.message_count).toBe(1);
});

it("message of a conversation lists its replies in pages", async () => {
  const client = new Client();
  const { id, answer } = await createExchange(client);
  for (const content of ["Why?", "How?"]) {
    await client.chat({ conversation_id: id, content, parent_message_id: answer, tier: "QUICK" });
  }
  const path = `/v1/conversations/${id}/messages/${answer}/replies`;
  const { body } = await client.get(path);
  expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(body.messages.every(({ parent_id }: { parent_id: string }) => parent_id === answer)).toBe(true);
  const page = await client.get(`${path}?limit=3`);
  const rest = await client.get(`${path}?limit=3&cursor=${page.body.next_cursor}`);
  expect([...page.body.messages, ...rest.body.messages]).toEqual(body.messages);
});

it("message of a conversation can be read, edited and deleted only by callers with the permission for the operation", async () => {
  const client = new Client();
  const { id, question } = await createExchange(client);
  const path = `/v1/conversations/${id}/messages/${question}`;
  const unprivileged = new Client({ ...client.identity, roles: "nothing" });
  const reader = new Client({ ...client.identity, roles: "viewer" });
  expect((await unprivileged.get(`${path}/replies`)).status).toBe(403);
  expect((await reader.get(`${path}/replies`)).status).toBe(200);
  expect((await reader.patch(path, { content: "x" })).status).toBe(403);
  expect((await reader.delete(path)).status).toBe(403);
  const stranger = new Client(newIdentity());
  for (const response of [
    await stranger.patch(path, { content: "x" }),
    await stranger.delete(path),
    await stranger.get(`${path}/replies`),
    await client.get(`/v1/conversations/${id}/messages/${randomUUID()}/replies`),
  ]) {
    expect(response.status).toBe(404);
  }
});

let service: Switchboard;

beforeAll(async () => {
  service = await startSwitchboard({ env: { MESSAGE_SEARCH: "on" } });
});

afterAll(() => service?.stop());

it("GET /v1/messages/search finds questions and answers by their words soon after a turn, for users who may read them", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const stranger = new Client({ ...owner.identity, user: "stranger" }, service.baseUrl);
  const id = await owner.createConversation("Quinces");
  await owner.chat({ conversation_id: id, content: "When do the quinces ripen?", tier: "QUICK" });
  const search = (client: Client, query: string) => client.get(`/v1/messages/search?${query}`);
  await expect
    .poll(async () => (await search(owner, "q=quince&role=user")).body.results)
    .toMatchObject([{ conversation_id: id, conversation_title: "Quinces", snippet: "When do the quinces ripen?" }]);
  expect((await search(stranger, "q=quince")).body).toEqual({ query: "quince", results: [] });
  expect((await search(owner, "q=quince&role=alert")).body.results).toEqual([]);
  const { body: folder } = await owner.post("/v1/folders", { name: "Garden" });
  const inFolder = async () => (await search(owner, `q=quince&role=user&folder_id=${folder.id}`)).body.results;
  expect(await inFolder()).toEqual([]);
  await owner.patch(`/v1/conversations/${id}`, { folder_id: folder.id });
  expect(await inFolder()).toMatchObject([{ conversation_id: id }]);
  expect((await search(owner, "q=%20")).status).toBe(400);
});

it("GET /v1/messages/search finds messages of discarded branches for the owner and with WRITE, but not with READ", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const id = await owner.createConversation();
  await owner.chat({ conversation_id: id, content: "Where does the discarded heron nest?", tier: "QUICK" });
  const { body } = await owner.get(`/v1/conversations/${id}/messages`);
  const question = body.messages.find(({ role }: { role: string }) => role === "user").message_id;
  await owner.chat({ conversation_id: id, edit_message_id: question, content: "Where do storks nest?", tier: "QUICK" });
  const [reader, writer] = [await createColleague(owner), await createColleague(owner)];
  await shareConversation(owner, id, reader, "READ");
  await shareConversation(owner, id, writer, "WRITE");
  const find = async (client: Client, word: string) => {
    const { results } = (await client.get(`/v1/messages/search?q=${word}&role=user`)).body;
    return results.map(({ snippet }: { snippet: string }) => snippet);
  };
  // The branch that replaced the discarded one is indexed after it.
  await expect.poll(() => find(reader, "storks")).toEqual(["Where do storks nest?"]);
  const found = await Promise.all([owner, writer, reader].map((client) => find(client, "heron")));
  const discarded = "Where does the discarded heron nest?";
  expect(found).toEqual([[discarded], [discarded], []]);
});
