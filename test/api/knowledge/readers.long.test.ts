import { expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { waitForAuditEvents } from "#test/support/governance/audit.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague } from "#test/support/people.ts";

const collections = "/v1/knowledge/collections";
const userOf = ({ identity }: Client) => `user:${identity.user}`;

/** Creates a tenant with an owner, a member of a group, and a person outside of it. */
async function createTenant() {
  const owner = new Client(newIdentity());
  await owner.get("/v1/me");
  const [member, outsider] = [await createColleague(owner), await createColleague(owner)];
  const fields = { name: "Pilots", roles: [], member_ids: [member.identity.user] };
  const { body: group } = await owner.post("/v1/groups", fields);
  return { owner, member, outsider, group: `group:${group.id}` };
}

it("readers of a collection are refused if they are unknown, malformed or too many, with an error that names them", async () => {
  const { owner, group } = await createTenant();
  const create = (readers: unknown) => owner.post(collections, { name: crypto.randomUUID(), readers });
  const unknown = await create([group, "group:0198", "user:unknown-person"]);
  expect([unknown.status, unknown.body.errors[0]]).toMatchObject([
    400,
    { path: "readers", message: "must name existing groups and people, not group:0198, user:unknown-person" },
  ]);
  for (const readers of [["all"], ["group:"], ["user:"], ["user:swk:key"], ["group:a b"], "tenant", null]) {
    expect([readers, (await create(readers)).status]).toEqual([readers, 400]);
  }
  const many = Array.from({ length: 21 }, (_, index) => `group:${index}`);
  expect((await create(many)).body.errors[0].message).toBe("must name at most 20 groups and people");
  const all = await create([group, "tenant", group]);
  expect([all.status, all.body.readers]).toEqual([201, ["tenant"]]);
  const path = `${collections}/${all.body.id}`;
  expect((await owner.patch(path, { readers: [group, group] })).body.readers).toEqual([group]);
  expect((await owner.patch(path, { readers: [group, "user:unknown-person"] })).status).toBe(400);
  // A group that was deleted can stay in the list until someone removes it.
  await owner.delete(`/v1/groups/${group.slice("group:".length)}`);
  const kept = await owner.patch(path, { readers: [group, userOf(owner)] });
  expect([kept.status, kept.body.readers]).toEqual([200, [group, userOf(owner)].sort()]);
});

it("readers of a document narrow those of its collection, however it is added", async () => {
  const { owner, member, outsider, group } = await createTenant();
  const { body: collection } = await owner.post(collections, { name: "Charts", readers: ["tenant"] });
  const path = `${collections}/${collection.id}`;
  const readers = [group];
  const text = await owner.post(`${path}/documents`, { title: "Depths", text: "Four fathoms.", readers });
  const form = new FormData();
  form.append("file", new Blob(["Five fathoms."]), "shoals.txt");
  form.append("readers", JSON.stringify(readers));
  const sent = await owner.fetch(`${path}/documents`, { method: "POST", body: form });
  const file = ((await sent.json()) as { results: { document: { id: string; readers: string[] } }[] }).results[0]
    ?.document;
  const upload = await owner.post(`${path}/uploads`, { file_name: "reefs.txt", size: 5, readers });
  const conversation = await owner.createConversation();
  const answer = await owner.post(
    "/v1/runtime/chat",
    { conversation_id: conversation, content: "How deep?", tier: "QUICK" },
    { accept: "application/json" },
  );
  const promoted = await owner.post(`${path}/promote`, {
    ...{ conversation_id: conversation, message_id: answer.body.message_id, readers },
  });
  const started = await owner.post(`${path}/imports`, { url: "https://127.0.0.1/", readers });
  expect([
    text.body.readers,
    file?.readers,
    upload.body.document.readers,
    promoted.body.readers,
    started.body.readers,
  ]).toEqual(Array(5).fill(readers));
  const ids = [text.body.id, file?.id, upload.body.document.id, promoted.body.id];
  for (const [client, isReader] of [
    [owner, true],
    [member, true],
    [outsider, false],
  ] as const) {
    for (const id of ids) expect((await client.get(`${path}/documents/${id}`)).status).toBe(isReader ? 200 : 404);
    const listed = (await client.get(`${path}/documents`)).body.documents;
    expect(listed).toHaveLength(isReader ? ids.length : 0);
    expect((await client.get(`${path}/imports`)).body.imports).toHaveLength(isReader ? 1 : 0);
    expect((await client.get(`${path}/imports/${started.body.id}`)).status).toBe(isReader ? 200 : 404);
    expect((await client.get(path)).body.document_count).toBe(client === owner ? ids.length : 0);
  }
  // A new version keeps the readers, and cannot change them.
  const versions = [
    await owner.post(`${path}/uploads`, { file_name: "a.txt", size: 5, document_id: text.body.id, readers: null }),
    await owner.put(`${path}/documents/${text.body.id}`, { title: "Depths", text: "Six.", readers: null }),
  ];
  expect(versions.map(({ status }) => status)).toEqual([400, 400]);
  const replaced = await owner.put(`${path}/documents/${text.body.id}`, { title: "Depths", text: "Six fathoms." });
  expect(replaced.body.readers).toEqual(readers);
  expect((await member.patch(`${path}/documents/${text.body.id}`, { readers: null })).status).toBe(403);
  expect((await owner.patch(`${path}/documents/${text.body.id}`, { readers: ["group:x"] })).status).toBe(400);
  expect((await owner.patch(`${path}/documents/${text.body.id}`, { readers: null })).body.readers).toBeNull();
  expect((await outsider.get(`${path}/documents/${text.body.id}`)).status).toBe(200);
  expect((await outsider.get(path)).body.document_count).toBe(1);
  expect((await owner.delete(`${path}/documents/${promoted.body.id}`)).status).toBe(204);
  const counts = [(await owner.get(path)).body.document_count, (await outsider.get(path)).body.document_count];
  expect(counts).toEqual([3, 1]);
});

it("change of the readers of a document is lost to none of several concurrent ones, and counts stay exact", async () => {
  const { owner, outsider, group } = await createTenant();
  const { body: collection } = await owner.post(collections, { name: "Logs", readers: ["tenant"] });
  const path = `${collections}/${collection.id}`;
  const { body: document } = await owner.post(`${path}/documents`, { title: "Log", text: "Wind from the east." });
  const lists = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? null : index % 3 === 1 ? [] : [group]));
  await Promise.all(lists.map((readers) => owner.patch(`${path}/documents/${document.id}`, { readers })));
  const { readers } = (await owner.get(`${path}/documents/${document.id}`)).body;
  expect((await outsider.get(path)).body.document_count).toBe(readers === null ? 1 : 0);
  expect((await owner.get(path)).body.document_count).toBe(1);
});

it("audit trail names the readers before and after a change", async () => {
  const { owner, group } = await createTenant();
  const { body: collection } = await owner.post(collections, { name: "Rolls", readers: ["tenant"] });
  const path = `${collections}/${collection.id}`;
  const { body: document } = await owner.post(`${path}/documents`, { title: "Roll", text: "Ada, Grace." });
  await owner.patch(path, { readers: [group] });
  await owner.patch(`${path}/documents/${document.id}`, { readers: [userOf(owner)] });
  const ofCollection = await waitForAuditEvents(owner, collection.id, ["collection.created", "collection.updated"]);
  expect(ofCollection.find(({ action }) => action === "collection.updated")?.details).toEqual({
    ...{ changed: ["readers"], before: { readers: ["tenant"] }, after: { readers: [group] } },
  });
  const ofDocument = await waitForAuditEvents(owner, document.id, ["document.created", "document.updated"]);
  expect(ofDocument.filter(({ action }) => action === "document.updated").map(({ details }) => details)).toEqual([
    {
      collection_id: collection.id,
      ...{ changed: ["readers"], before: { readers: null }, after: { readers: [userOf(owner)] } },
    },
  ]);
});

it("erasure of a person removes the person from the readers of collections and documents", async () => {
  const { owner, member, group } = await createTenant();
  const person = userOf(member);
  const { body: open } = await owner.post(collections, { name: "Open", readers: ["tenant"] });
  const { body: named } = await owner.post(collections, { name: "Named", readers: [group, person] });
  const { document } = await addIndexedDocument(owner, { title: "Rules", text: "Keep to starboard." }, open.id);
  const documentPath = `${collections}/${open.id}/documents/${document}`;
  await owner.patch(documentPath, { readers: [person] });
  const search = async (client: Client) => (await client.get("/v1/knowledge/search?q=starboard")).body.results.length;
  await expect.poll(() => search(member)).toBe(1);
  const { body: deletion } = await owner.post("/v1/data-deletions", { user_id: member.identity.user });
  await vi.waitFor(
    async () => expect((await owner.get(`/v1/data-deletions/${deletion.id}`)).body.status).toBe("completed"),
    { timeout: 180_000, interval: 200 },
  );
  expect((await owner.get(`${collections}/${named.id}`)).body.readers).toEqual([group]);
  expect((await owner.get(documentPath)).body.readers).toEqual([]);
  await expect.poll(() => search(owner)).toBe(1);
});
