import { expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";

it("note of a user is created, read, changed and deleted", async () => {
  const client = new Client();
  const { status, headers, body } = await client.post("/v1/notes", {
    title: " Shopping ",
    body: "Milk",
    tags: ["home", "home", " food "],
  });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/notes/${body.id}`);
  expect(body).toMatchObject({
    title: "Shopping",
    body: "Milk",
    tags: ["home", "food"],
    pinned: false,
    conversation_id: null,
  });
  const path = `/v1/notes/${body.id}`;
  const updatedResponse = await client.patch(path, { body: "Milk, eggs", pinned: true });
  expect(updatedResponse.body).toEqual({
    ...body,
    body: "Milk, eggs",
    pinned: true,
    updated_at: updatedResponse.body.updated_at,
  });
  expect((await client.get(path)).body).toEqual(updatedResponse.body);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.delete(path)).status).toBe(404);
});

it("note of a user is listed newest first and can be filtered by words, tag, pin and conversation", async () => {
  const client = new Client();
  const conversation_id = await client.createConversation();
  const notes = [
    { title: "Apples", body: "red and GREEN", tags: ["Fruit"] },
    { title: "Pears", body: "green", pinned: true },
    { title: "Trip", body: "to the orchard", conversation_id },
  ];
  for (const note of notes) expect((await client.post("/v1/notes", note)).status).toBe(201);
  const listTitles = async (query: string) =>
    (await client.get(`/v1/notes${query}`)).body.notes.map(({ title }: { title: string }) => title);
  expect(await listTitles("")).toEqual(["Trip", "Pears", "Apples"]);
  expect(await listTitles("?q=green")).toEqual(["Pears", "Apples"]);
  expect(await listTitles("?q=green%20APPLE")).toEqual(["Apples"]);
  expect(await listTitles("?tag=fruit")).toEqual(["Apples"]);
  expect(await listTitles("?pinned=true")).toEqual(["Pears"]);
  expect(await listTitles(`?conversation_id=${conversation_id}`)).toEqual(["Trip"]);
  const first = (await client.get("/v1/notes?limit=2")).body;
  const rest = (await client.get(`/v1/notes?limit=2&cursor=${first.next_cursor}`)).body;
  expect([first.notes.length, rest.notes.length, rest.next_cursor]).toEqual([2, 1, null]);
  expect((await client.get(`/v1/notes?limit=2&q=x&cursor=${first.next_cursor}`)).status).toBe(400);
});

it("note of a user is visible to its author only", async () => {
  const author = new Client();
  const colleague = new Client({ ...newIdentity(), tenant: author.identity.tenant });
  const { body } = await author.post("/v1/notes", { title: "mine" });
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const changes = method === "PATCH" ? { title: "x" } : undefined;
    expect((await colleague.request(method, `/v1/notes/${body.id}`, changes)).status).toBe(404);
  }
  expect((await colleague.get("/v1/notes")).body.notes).toEqual([]);
});

it("note of a user can refer to a conversation that its author may read, and remains when the conversation is deleted", async () => {
  const client = new Client();
  const stranger = new Client();
  const conversation_id = await client.createConversation();
  const { body } = await client.post("/v1/notes", { title: "About this", conversation_id });
  const foreignResponse = await stranger.post("/v1/notes", { title: "x", conversation_id });
  expect(foreignResponse.status).toBe(404);
  const refer = async (id: string) => (await client.patch(`/v1/notes/${body.id}`, { conversation_id: id })).status;
  expect([await refer("unknown"), await refer("")]).toEqual([404, 400]);
  expect((await client.patch(`/v1/notes/${body.id}`, { conversation_id: null })).body.conversation_id).toBeNull();
  await client.patch(`/v1/notes/${body.id}`, { conversation_id });
  await client.delete(`/v1/conversations/${conversation_id}`);
  await vi.waitFor(async () => {
    expect((await client.get(`/v1/notes/${body.id}`)).body.conversation_id).toBeNull();
  });
});
