import { expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";

const createMemory = async (client: Client, body: Record<string, unknown>) => {
  const response = await client.post("/v1/memories", body);
  expect(response.status, response.text).toBe(201);
  return response.body;
};

it("memory of the assistant is created, read, updated and deleted", async () => {
  const client = new Client();
  const { status, headers, body } = await client.post("/v1/memories", {
    text: " Prefers tea ",
    category: "preference",
  });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/memories/${body.id}`);
  expect(body).toMatchObject({
    text: "Prefers tea",
    scope: "user",
    scope_id: client.identity.user,
    category: "preference",
    status: "active",
    source_message_id: null,
  });
  const path = `/v1/memories/${body.id}`;
  const updatedResponse = await client.patch(path, { text: "Prefers coffee" });
  expect(updatedResponse.body).toEqual({
    ...body,
    text: "Prefers coffee",
    updated_at: updatedResponse.body.updated_at,
  });
  expect((await client.get(path)).body).toEqual(updatedResponse.body);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.patch(path, { text: "x" })).status).toBe(404);
});

it("memory of the assistant is listed newest first in pages and filtered by scope, category and status", async () => {
  const client = new Client();
  const conversation = await client.createConversation();
  const texts = ["a", "b", "c", "d", "e"];
  for (const text of texts) await createMemory(client, { text, category: "fact" });
  await createMemory(client, { text: "for all", scope: "tenant" });
  await createMemory(client, { text: "here", scope: "conversation", scope_id: conversation });
  const listTexts = async (query: string) => {
    const response = await client.get(`/v1/memories?${query}`);
    return {
      texts: response.body.memories.map(({ text }: { text: string }) => text),
      next: response.body.next_cursor,
    };
  };
  expect((await listTexts("")).texts).toEqual(["here", "for all", ...texts.toReversed()]);
  expect((await listTexts("scope=tenant")).texts).toEqual(["for all"]);
  expect((await listTexts("scope=conversation")).texts).toEqual(["here"]);
  expect((await listTexts("category=fact&scope=user")).texts).toEqual(texts.toReversed());
  expect((await listTexts("status=proposed")).texts).toEqual([]);
  const pagedTexts: string[] = [];
  let cursor = "";
  do {
    const page = await listTexts(`limit=2${cursor && `&cursor=${cursor}`}`);
    pagedTexts.push(...page.texts);
    cursor = page.next ?? "";
  } while (cursor);
  expect(pagedTexts).toEqual(["here", "for all", ...texts.toReversed()]);
});

it("memory of the assistant is visible to its author only, or to the whole tenant if its scope is tenant", async () => {
  const author = new Client();
  const colleague = new Client({ ...newIdentity("member"), tenant: author.identity.tenant });
  const stranger = new Client();
  const own = await createMemory(author, { text: "mine" });
  const shared = await createMemory(author, { text: "ours", scope: "tenant" });
  for (const caller of [colleague, stranger]) {
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { text: "x" } : undefined;
      expect((await caller.request(method, `/v1/memories/${own.id}`, body)).status).toBe(404);
    }
  }
  expect((await colleague.get("/v1/memories")).body.memories).toEqual([shared]);
  expect((await stranger.get("/v1/memories")).body.memories).toEqual([]);
  expect((await stranger.get(`/v1/memories/${shared.id}`)).status).toBe(404);
});

it("memory of the assistant can be created for the whole tenant only with the permission rbac.manage", async () => {
  const admin = new Client();
  const member = new Client({ ...newIdentity("member"), tenant: admin.identity.tenant });
  const shared = await createMemory(admin, { text: "ours", scope: "tenant" });
  const rejectedResponses = await Promise.all([
    member.post("/v1/memories", { text: "x", scope: "tenant" }),
    member.patch(`/v1/memories/${shared.id}`, { text: "x" }),
    member.delete(`/v1/memories/${shared.id}`),
  ]);
  expect(rejectedResponses.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect((await member.get(`/v1/memories/${shared.id}`)).body).toEqual(shared);
});

it("memory of the assistant can be created for a conversation only by its readers, and is deleted with the conversation", async () => {
  const client = new Client();
  const stranger = new Client();
  const conversation = await client.createConversation();
  const missingResponse = await client.post("/v1/memories", { text: "x", scope: "conversation" });
  expect([missingResponse.status, missingResponse.body.errors[0].path]).toEqual([400, "scope_id"]);
  const foreignResponse = await stranger.post("/v1/memories", {
    text: "x",
    scope: "conversation",
    scope_id: conversation,
  });
  expect(foreignResponse.status).toBe(404);
  const userMemory = await createMemory(client, { text: "stays" });
  const conversationMemory = await createMemory(client, {
    text: "goes",
    scope: "conversation",
    scope_id: conversation,
  });
  await client.delete(`/v1/conversations/${conversation}`);
  await vi.waitFor(
    async () => expect((await client.get(`/v1/memories/${conversationMemory.id}`)).status).toBe(404),
    20_000,
  );
  expect((await client.get(`/v1/memories/${userMemory.id}`)).status).toBe(200);
});

it("memory of the assistant is trusted if a user writes it, and a request cannot set whether it is trusted", async () => {
  const client = new Client();
  const memory = await createMemory(client, { text: "x" });
  expect(memory.trusted).toBe(true);
  expect((await client.patch(`/v1/memories/${memory.id}`, { trusted: false })).status).toBe(400);
  expect((await client.post("/v1/memories", { text: "x", trusted: true })).status).toBe(400);
});

it("memory of the assistant cannot be turned into a proposal by an update", async () => {
  const client = new Client();
  const memory = await createMemory(client, { text: "x" });
  expect((await client.patch(`/v1/memories/${memory.id}`, { status: "proposed" })).status).toBe(400);
  expect((await client.patch(`/v1/memories/${memory.id}`, { status: "active" })).body.status).toBe("active");
});
