import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { DataDeletion } from "#shared/api/governance/data-deletions.ts";
import { attach } from "#test/support/chat/attachments.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { listAuditEvents, waitForAuditEvents } from "#test/support/governance/audit.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findObjectsContaining } from "#test/support/tables/bucket-contents.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let service: Switchboard;
beforeAll(async () => {
  service = await startSwitchboard();
});
afterAll(() => service?.stop());

/** Creates one item of every kind for a user. The text of each item contains `mark`. */
async function seedUserData(client: Client, mark: string): Promise<void> {
  const folder = (await client.post("/v1/folders", { name: mark })).body.id;
  const ids = [await client.createConversation(mark), await client.createConversation(mark)];
  await client.patch(`/v1/conversations/${ids[0]}`, { folder_id: folder });
  const attachments = [(await attach(client, ids[0] ?? "", `${mark}.txt`, mark)).id];
  await client.chat({ conversation_id: ids[0], content: mark, tier: "QUICK", attachments });
  const { messages } = (await client.get(`/v1/conversations/${ids[0]}/messages`)).body;
  const answer = messages.at(-1).message_id;
  await client.post("/v1/feedback", { conversation_id: ids[0], message_id: answer, rating: "up", comment: mark });
  await client.post("/v1/notes", { title: mark, body: mark });
  await client.post("/v1/memories", { text: mark, scope: "user", category: "preference" });
  const persona = (await client.post("/v1/personas", { name: mark, instructions: mark, visibility: "org" })).body.id;
  await client.post(`/v1/personas/${persona}/publish`, { slug: randomUUID() });
  const tests = (await client.post("/v1/test-sets", { persona_id: persona, name: mark })).body.id;
  await client.post(`/v1/test-sets/${tests}/items`, { items: [{ question: mark }] });
  await client.post(`/v1/test-sets/${tests}/items`, { message: { conversation_id: ids[0], message_id: answer } });
  await client.post("/v1/personas", { name: mark, instructions: mark, visibility: "private" });
  await client.post("/v1/templates", { name: mark, body: mark });
  const collection = (await client.post("/v1/knowledge/collections", { name: mark, readers: ["tenant"] })).body.id;
  await client.post(`/v1/knowledge/collections/${collection}/documents`, { title: mark, text: mark });
  await vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/knowledge/collections/${collection}/documents`);
      expect(body.documents[0].status).toBe("ready");
    },
    { timeout: 180_000, interval: 50 },
  );
  await client.post("/v1/approvals", { type: "tool_execution", action: { operation: "x" } });
  const location = (await client.request("POST", "/v1/exports")).headers.get("location") ?? "";
  await vi.waitFor(async () => expect((await client.get(location)).body.status).toBe("ready"), { timeout: 180_000 });
}

const waitForCompletion = (client: Client, location: string): Promise<DataDeletion> =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(location);
      expect(body.status).toBe("completed");
      return body;
    },
    { timeout: 180_000, interval: 100 },
  );

it("deletion of a user's data erases all data of the user, reports the number of items, and keeps other users' data", async () => {
  const admin = new Client(newIdentity(), service.baseUrl);
  const erasedUser = await createColleague(admin);
  const otherUser = await createColleague(admin);
  const [mark, otherMark] = [`m-${randomUUID()}`, `o-${randomUUID()}`];
  await seedUserData(erasedUser, mark);
  await seedUserData(otherUser, otherMark);
  const sharedConversation = await otherUser.createConversation("Shared");
  await shareConversation(otherUser, sharedConversation, erasedUser, "READ");
  const otherItemCount = findItemsContaining(service, otherMark).length;

  const headers = { "idempotency-key": randomUUID() };
  const requestDeletion = () => admin.post("/v1/data-deletions", { user_id: erasedUser.identity.user }, headers);
  const acceptedResponse = await requestDeletion();
  const location = `/v1/data-deletions/${acceptedResponse.body.id}`;
  expect([acceptedResponse.status, acceptedResponse.headers.get("location")]).toEqual([202, location]);
  expect((await requestDeletion()).body.id).toBe(acceptedResponse.body.id);
  const receipt = await waitForCompletion(admin, location);
  expect(receipt).toEqual({
    id: acceptedResponse.body.id,
    user_id: erasedUser.identity.user,
    successor_id: null,
    requested_by: admin.identity.user,
    status: "completed",
    counts: {
      approval: 1,
      collection: 1,
      conversation: 2,
      export: 1,
      feedback: 1,
      folder: 1,
      grant: 1,
      memory: 1,
      note: 1,
      persona: 2,
      template: 1,
    },
    requested_at: expect.any(String),
    completed_at: expect.any(String),
  });
  expect((await erasedUser.get("/v1/conversations")).body.conversations).toEqual([]);
  expect((await erasedUser.get(`/v1/conversations/${sharedConversation}`)).status).toBe(404);
  expect((await erasedUser.get(location)).body).toEqual(receipt);
  expect((await otherUser.get(location)).status).toBe(404);
  expect(findObjectsContaining(service, otherMark).length).toBe(2);
  await vi.waitFor(() => expect(findItemsContaining(service, mark)).toEqual([]), { timeout: 180_000, interval: 250 });
  await vi.waitFor(() => expect(findObjectsContaining(service, mark)).toEqual([]), {
    timeout: 180_000,
    interval: 250,
  });
  expect(findObjectsContaining(service, otherMark).length).toBe(2);
  expect(findItemsContaining(service, otherMark).length).toBe(otherItemCount);
  await vi.waitFor(
    async () => {
      const events = await listAuditEvents(admin, `actor=${admin.identity.user}`);
      const actions = events.map(({ action }) => action);
      for (const action of ["note.deleted", "conversation.deleted", "persona.deleted", "data_deletion.requested"]) {
        expect(actions).toContain(action);
      }
      expect((await listAuditEvents(admin, "action=data_deletion.completed")).length).toBe(1);
    },
    { timeout: 180_000, interval: 100 },
  );
});

it("deletion of another user's data needs an approval unless the requester has all permissions", async () => {
  const admin = new Client(newIdentity(), service.baseUrl);
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const [keeper, victim] = [await createColleague(admin, "keeper"), await createColleague(admin, "admin")];
  await victim.post("/v1/notes", { title: "Kept", body: "until approved" });
  const held = await keeper.post("/v1/data-deletions", { user_id: victim.identity.user });
  expect([held.status, held.body.approval.action]).toEqual([
    202,
    { operation: "eraseUser", params: { user_id: victim.identity.user } },
  ]);
  expect((await victim.get("/v1/notes")).body.notes.length).toBe(1);
  const path = `/v1/approvals/${held.body.approval.id}`;
  expect((await keeper.post(`${path}/decide`, { decision: "approve" })).status).toBe(403);
  const redirected = { decision: "edit", params: { user_id: admin.identity.user } };
  const redirection = await admin.post(`${path}/decide`, redirected);
  expect([redirection.status, redirection.body.errors]).toMatchObject([
    400,
    [{ path: "params.user_id", message: "must not change" }],
  ]);
  await admin.post(`${path}/decide`, { decision: "approve" });
  await vi.waitFor(async () => expect((await admin.get(path)).body.result?.deletion_id).toBeTruthy(), 20_000);
  const { deletion_id } = (await admin.get(path)).body.result;
  await waitForCompletion(admin, `/v1/data-deletions/${deletion_id}`);
  expect((await victim.get("/v1/notes")).body.notes).toEqual([]);
});

it("deletion of another user's data needs an approval also if the policy requires none for data access", async () => {
  const admin = new Client(newIdentity(), service.baseUrl);
  const victim = await createColleague(admin, "admin");
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const keeper = await createColleague(admin, "keeper");
  await setPolicy(admin, {
    approvals: {
      ...{ share_link: "never", export: "never", tool_execution: "never", data_access: "never" },
      risk_level: "low",
    },
  });
  const action = { operation: "eraseUser", params: { user_id: victim.identity.user } };
  const { status, body } = await keeper.post("/v1/approvals", { type: "data_access", action });
  expect([status, body.status]).toEqual([201, "pending"]);
});

it("deletion of a user's data can be requested by the user or an administrator", async () => {
  const admin = new Client(newIdentity(), service.baseUrl);
  const [one, two] = [await createColleague(admin), await createColleague(admin)];
  expect((await one.post("/v1/data-deletions", { user_id: two.identity.user })).status).toBe(403);
  expect((await admin.post("/v1/data-deletions", { user_id: "unknown" })).status).toBe(404);
  expect((await admin.post("/v1/data-deletions", {})).status).toBe(400);
  const own = await one.post("/v1/data-deletions", { user_id: one.identity.user });
  const receipt = await waitForCompletion(one, own.headers.get("location") ?? "");
  expect(receipt.counts).toEqual({});
});

it("content of a deactivated user is handed over to an active person with branches, files, search and personas, without public links", async () => {
  const admin = new Client(newIdentity(), service.baseUrl);
  await admin.post("/v1/roles", { name: "keeper", permissions: ["rbac.manage"] });
  const keeper = await createColleague(admin, "keeper");
  const [left, heir] = [await createColleague(admin), await createColleague(admin)];
  const mark = `kingfisher${randomUUID().slice(0, 8)}`;
  await seedUserData(left, mark);
  const found = (await left.get("/v1/conversations")).body.conversations as { id: string; folder_id: string | null }[];
  const { id } = found.find(({ folder_id }) => folder_id !== null) as { id: string };
  const { messages } = (await left.get(`/v1/conversations/${id}/messages`)).body;
  await left.post(`/v1/runtime/chat`, { conversation_id: id, regenerate_message_id: messages.at(-1).message_id });
  const link = (await left.post(`/v1/chat/${id}/share-link`, { expires_in: "7d" })).body;
  const { body: draft } = await left.post("/v1/knowledge/collections", {
    name: `Private ${mark}`,
    readers: [],
  });
  await addIndexedDocument(left, { title: "Nest", text: `The ${mark} nests in a river bank.` }, draft.id);
  const before = (await left.get(`/v1/conversations/${id}/messages`)).body.messages;

  const body = { user_id: left.identity.user, successor_id: heir.identity.user };
  expect((await admin.post("/v1/data-deletions", body)).status).toBe(409);
  await admin.patch(`/v1/tenant/users/${left.identity.user}`, { is_active: false });
  for (const caller of [keeper, heir]) expect((await caller.post("/v1/data-deletions", body)).status).toBe(403);
  expect((await admin.post("/v1/data-deletions", { ...body, successor_id: left.identity.user })).status).toBe(409);
  expect((await admin.post("/v1/data-deletions", { ...body, successor_id: randomUUID() })).status).toBe(404);
  const accepted = await admin.post("/v1/data-deletions", body);
  expect(accepted.body).toMatchObject({ ...body, status: "running" });
  const receipt = await waitForCompletion(admin, `/v1/data-deletions/${accepted.body.id}`);
  expect(receipt).toMatchObject({
    successor_id: heir.identity.user,
    counts: { conversation: 2, folder: 1, note: 1, persona: 2, template: 1, collection: 2 },
  });

  expect((await heir.get(`/v1/conversations/${id}`)).body).toMatchObject({
    access: "owner",
    folder_id: expect.any(String),
  });
  expect((await heir.get(`/v1/conversations/${id}/messages`)).body.messages).toEqual(before);
  expect((await heir.get("/v1/folders")).body.folders).toMatchObject([{ name: mark }]);
  expect((await heir.get("/v1/notes")).body.notes).toHaveLength(1);
  expect((await heir.get(`/v1/knowledge/collections/${draft.id}`)).body.owner_id).toBe(heir.identity.user);
  expect((await heir.chat({ conversation_id: id, content: "And now?", tier: "QUICK" })).at(-1)?.event).toBe("done");
  expect((await admin.get(`/v1/shared/${link.token}`)).status).toBe(410);
  await vi.waitFor(
    async () => {
      expect((await heir.get(`/v1/messages/search?q=${mark}`)).text).toContain(id);
      expect((await heir.get(`/v1/knowledge/search?q=${mark}%20nests`)).text).toContain("river bank");
    },
    { timeout: 180_000, interval: 300 },
  );
  await waitForAuditEvents(admin, accepted.body.id, ["data_deletion.hand_over_requested", "data_deletion.handed_over"]);
});
