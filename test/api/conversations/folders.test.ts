import { expect, it, vi } from "vitest";
import { Client } from "#test/support/client.ts";
import { countStatuses, createColleague } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";

/** Number of concurrent creations with one name, and number of conversations in a folder. */
const concurrentCreations = sized({ usual: 30, full: 200 });
const conversationCount = sized({ usual: 130, full: 500 });

const createFolder = async (client: Client, name: string, parent_id: string | null = null): Promise<string> => {
  const { status, body, text } = await client.post("/v1/folders", { name, parent_id });
  if (status !== 201) throw new Error(text);
  return body.id;
};

const createConversationIn = async (client: Client, folder_id: string): Promise<string> =>
  (await client.post("/v1/conversations", { title: "In it", folder_id })).body.id;

const getFolder = async (client: Client, id: string) => (await client.get(`/v1/folders/${id}`)).body;

it("folder is created, read, renamed and listed newest first", async () => {
  const owner = new Client();
  const { status, headers, body } = await owner.post("/v1/folders", { name: " Work " });
  expect([status, headers.get("location")]).toEqual([201, `/v1/folders/${body.id}`]);
  expect(body).toEqual({
    id: body.id,
    name: "Work",
    parent_id: null,
    conversation_count: 0,
    created_at: body.created_at,
    updated_at: body.created_at,
  });
  const below = await createFolder(owner, "Below", body.id);
  expect((await owner.patch(`/v1/folders/${body.id}`, { name: "Play" })).body).toMatchObject({ name: "Play" });
  const listed = (await owner.get("/v1/folders")).body;
  expect(listed.folders.map(({ id, parent_id }: { id: string; parent_id: string | null }) => [id, parent_id])).toEqual([
    [below, body.id],
    [body.id, null],
  ]);
  const page = (await owner.get("/v1/folders?limit=1")).body;
  expect((await owner.get(`/v1/folders?limit=1&cursor=${page.next_cursor}`)).body.folders[0].id).toBe(body.id);
});

it("folder is visible to its owner only", async () => {
  const owner = new Client();
  const colleague = await createColleague(owner, "admin");
  const id = await createFolder(owner, "Mine");
  const conversation = await colleague.createConversation();
  for (const response of [
    await colleague.get(`/v1/folders/${id}`),
    await colleague.patch(`/v1/folders/${id}`, { name: "x" }),
    await colleague.delete(`/v1/folders/${id}`),
    await colleague.post("/v1/folders", { name: "x", parent_id: id }),
    await colleague.post("/v1/conversations", { title: "x", folder_id: id }),
    await colleague.patch(`/v1/conversations/${conversation}`, { folder_id: id }),
  ]) {
    expect([response.status, response.body.code]).toEqual([404, "not_found"]);
  }
  expect((await colleague.get("/v1/folders")).body.folders).toEqual([]);
  expect((await colleague.get("/v1/conversations")).body.conversations.length).toBe(1);
});

it("folder has a name that is unique under its parent, ignoring case", async () => {
  const owner = new Client();
  const [one, other] = [await createFolder(owner, "One"), await createFolder(owner, "Other")];
  const rejectedResponse = await owner.post("/v1/folders", { name: "ONE" });
  expect([rejectedResponse.status, rejectedResponse.body.code]).toEqual([409, "conflict"]);
  await createFolder(owner, "One", other);
  expect((await owner.patch(`/v1/folders/${one}`, { parent_id: other })).status).toBe(409);
  expect((await owner.patch(`/v1/folders/${other}`, { name: "one" })).status).toBe(409);
  expect((await owner.patch(`/v1/folders/${one}`, { name: "ONE" })).body.name).toBe("ONE");
  await owner.delete(`/v1/folders/${one}`);
  await createFolder(owner, "One");
});

it(`folder is created once when ${concurrentCreations} concurrent requests use the same name`, async () => {
  const owner = new Client();
  const statuses = await countStatuses(concurrentCreations, () => owner.post("/v1/folders", { name: "Same" }));
  expect(statuses).toEqual(
    new Map([
      [201, 1],
      [409, concurrentCreations - 1],
    ]),
  );
  expect((await owner.get("/v1/folders")).body.folders.length).toBe(1);
});

it("folder cannot be created or moved if that results in a cycle or in more than ten levels", async () => {
  const owner = new Client();
  const top = await createFolder(owner, "1");
  let deepest = top;
  for (let level = 2; level <= 10; level++) deepest = await createFolder(owner, `${level}`, deepest);
  for (const parent_id of [top, deepest]) {
    const rejectedResponse = await owner.patch(`/v1/folders/${top}`, { parent_id });
    expect([rejectedResponse.status, rejectedResponse.body.errors[0].path]).toEqual([400, "parent_id"]);
  }
  const tooDeepResponse = await owner.post("/v1/folders", { name: "11", parent_id: deepest });
  expect([tooDeepResponse.status, tooDeepResponse.body.errors[0].code]).toEqual([400, "too_deep"]);
  const newRoot = await createFolder(owner, "New root");
  const moveResponse = await owner.patch(`/v1/folders/${top}`, { parent_id: newRoot });
  expect([moveResponse.status, moveResponse.body.errors?.[0].code]).toEqual([400, "too_deep"]);
  const { parent_id: second } = await getFolder(owner, deepest);
  expect((await owner.patch(`/v1/folders/${second}`, { parent_id: newRoot })).status).toBe(200);
});

it("folder forms no cycle with another folder when each is moved into the other concurrently", async () => {
  for (let round = 0; round < 10; round++) {
    const owner = new Client();
    const [one, other] = [await createFolder(owner, "One"), await createFolder(owner, "Other")];
    await Promise.all([
      owner.patch(`/v1/folders/${one}`, { parent_id: other }),
      owner.patch(`/v1/folders/${other}`, { parent_id: one }),
    ]);
    const parents = [(await getFolder(owner, one)).parent_id, (await getFolder(owner, other)).parent_id];
    expect(parents).toContain(null);
  }
});

it("conversation in a folder is counted only in its current folder after each move", async () => {
  const owner = new Client();
  const [one, other] = [await createFolder(owner, "One"), await createFolder(owner, "Other")];
  const getCounts = async () => [
    (await getFolder(owner, one)).conversation_count,
    (await getFolder(owner, other)).conversation_count,
  ];
  const id = await createConversationIn(owner, one);
  await createConversationIn(owner, one);
  expect(await getCounts()).toEqual([2, 0]);
  expect((await owner.patch(`/v1/conversations/${id}`, { folder_id: other })).body.folder_id).toBe(other);
  expect(await getCounts()).toEqual([1, 1]);
  expect((await owner.patch(`/v1/conversations/${id}`, { title: "Same place" })).body.folder_id).toBe(other);
  const listed = (await owner.get(`/v1/conversations?folder_id=${other}`)).body.conversations;
  expect(listed.map((conversation: { id: string }) => conversation.id)).toEqual([id]);
  await Promise.all([one, other, null, one].map((folder_id) => owner.patch(`/v1/conversations/${id}`, { folder_id })));
  const { folder_id } = (await owner.get(`/v1/conversations/${id}`)).body;
  expect(await getCounts()).toEqual([folder_id === one ? 2 : 1, folder_id === other ? 1 : 0]);
  await owner.delete(`/v1/conversations/${id}`);
  expect(await getCounts()).toEqual([1, 0]);
  const rejectedResponse = await owner.post("/v1/conversations", { title: "x", folder_id: "nope" });
  expect([rejectedResponse.status, rejectedResponse.body.code]).toEqual([404, "not_found"]);
});

it(`conversation in a folder moves to the parent folder when its folder, with ${conversationCount} conversations, is deleted`, async () => {
  const owner = new Client();
  const top = await createFolder(owner, "Top");
  const middle = await createFolder(owner, "Middle", top);
  const below = await createFolder(owner, "Name", middle);
  await createFolder(owner, "Name", top);
  const inside = await createConversationIn(owner, below);
  for (let start = 0; start < conversationCount; start += 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, conversationCount - start) }, () => createConversationIn(owner, middle)),
    );
  }
  expect((await owner.delete(`/v1/folders/${middle}`)).status).toBe(204);
  expect((await owner.get(`/v1/folders/${middle}`)).status).toBe(404);
  expect(await getFolder(owner, below)).toMatchObject({ name: "Name (2)", parent_id: top, conversation_count: 1 });
  await vi.waitFor(async () => expect((await getFolder(owner, top)).conversation_count).toBe(conversationCount), {
    timeout: 180_000,
    interval: 200,
  });
  expect((await owner.get(`/v1/conversations/${inside}`)).body.folder_id).toBe(below);
  const folders = (await owner.get("/v1/conversations?limit=100")).body.conversations;
  expect(new Set(folders.map(({ folder_id }: { folder_id: string }) => folder_id))).toEqual(new Set([top]));
});

it("conversation in a folder moves to the nearest remaining folder when the folders above it are deleted concurrently", async () => {
  const owner = new Client();
  const top = await createFolder(owner, "1");
  const branch = [top];
  for (let level = 2; level <= 6; level++) branch.push(await createFolder(owner, `${level}`, branch.at(-1) ?? null));
  const conversations = await Promise.all(branch.map((id) => createConversationIn(owner, id)));
  await Promise.all(branch.slice(1).map((id) => owner.delete(`/v1/folders/${id}`)));
  await vi.waitFor(
    async () => {
      const places = await Promise.all(
        conversations.map(async (id) => (await owner.get(`/v1/conversations/${id}`)).body.folder_id),
      );
      expect(new Set(places)).toEqual(new Set([top]));
      expect((await getFolder(owner, top)).conversation_count).toBe(conversations.length);
    },
    { timeout: 180_000, interval: 200 },
  );
  expect((await owner.get("/v1/folders")).body.folders.map(({ id }: { id: string }) => id)).toEqual([top]);
});
