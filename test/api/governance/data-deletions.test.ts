import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { DataDeletion } from "#shared/api/governance/data-deletions.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { listAuditEvents } from "#test/support/governance/audit.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let service: Switchboard;
beforeAll(async () => {
  service = await startSwitchboard();
});
afterAll(() => service?.stop());

/** Marks everything this person writes, so that it can be looked for. */
async function belongings(client: Client, mark: string): Promise<void> {
  const folder = (await client.post("/v1/folders", { name: mark })).body.id;
  const ids = [await client.createConversation(mark), await client.createConversation(mark)];
  await client.patch(`/v1/conversations/${ids[0]}`, { folder_id: folder });
  await client.chat({ conversation_id: ids[0], content: mark, tier: "QUICK" });
  const { messages } = (await client.get(`/v1/conversations/${ids[0]}/messages`)).body;
  const answer = messages.at(-1).message_id;
  await client.post("/v1/feedback", { conversation_id: ids[0], message_id: answer, rating: "up", comment: mark });
  await client.post("/v1/notes", { title: mark, body: mark });
  await client.post("/v1/memories", { text: mark, scope: "user", category: "preference" });
  const persona = (await client.post("/v1/personas", { name: mark, instructions: mark, visibility: "org" })).body.id;
  await client.post(`/v1/personas/${persona}/publish`, { slug: randomUUID() });
  await client.post("/v1/personas", { name: mark, instructions: mark, visibility: "private" });
  await client.post("/v1/templates", { name: mark, body: mark });
  const collection = (await client.post("/v1/knowledge/collections", { name: mark, visibility: "tenant" })).body.id;
  await client.post(`/v1/knowledge/collections/${collection}/documents`, { title: mark, text: mark });
  await vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/knowledge/collections/${collection}/documents`);
      expect(body.documents[0].status).toBe("ready");
    },
    { timeout: 15_000, interval: 50 },
  );
  await client.post("/v1/approvals", { type: "tool_execution", action: { operation: "x" } });
  const location = (await client.request("POST", "/v1/exports")).headers.get("location") ?? "";
  await vi.waitFor(async () => expect((await client.get(location)).body.status).toBe("ready"), { timeout: 30_000 });
}

const completed = (client: Client, location: string): Promise<DataDeletion> =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(location);
      expect(body.status).toBe("completed");
      return body;
    },
    { timeout: 30_000, interval: 100 },
  );

describe("the deletion of somebody's data", () => {
  it("leaves nothing of it, says how much there was, and touches nobody else's", { timeout: 90_000 }, async () => {
    const admin = new Client(newIdentity(), service.baseUrl);
    const leaver = await createColleague(admin);
    const stayer = await createColleague(admin);
    const [mark, other] = [`m-${randomUUID()}`, `o-${randomUUID()}`];
    await belongings(leaver, mark);
    await belongings(stayer, other);
    const theirs = await stayer.createConversation("Shared");
    await shareConversation(stayer, theirs, leaver, "READ");
    const kept = findItemsContaining(service, other).length;

    const headers = { "idempotency-key": randomUUID() };
    const ask = () => admin.post("/v1/data-deletions", { user_id: leaver.identity.user }, headers);
    const begun = await ask();
    const location = `/v1/data-deletions/${begun.body.id}`;
    expect([begun.status, begun.headers.get("location")]).toEqual([202, location]);
    expect((await ask()).body.id).toBe(begun.body.id);
    const receipt = await completed(admin, location);
    expect(receipt).toEqual({
      id: begun.body.id,
      user_id: leaver.identity.user,
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
    expect((await leaver.get("/v1/conversations")).body.conversations).toEqual([]);
    expect((await leaver.get(`/v1/conversations/${theirs}`)).status).toBe(404);
    expect((await leaver.get(location)).body).toEqual(receipt);
    expect((await stayer.get(location)).status).toBe(404);
    await vi.waitFor(() => expect(findItemsContaining(service, mark)).toEqual([]), { timeout: 60_000, interval: 250 });
    expect(findItemsContaining(service, other).length).toBe(kept);
    await vi.waitFor(
      async () => {
        const events = await listAuditEvents(admin, `actor=${admin.identity.user}`);
        const actions = events.map(({ action }) => action);
        for (const action of ["note.deleted", "conversation.deleted", "persona.deleted", "data_deletion.requested"]) {
          expect(actions).toContain(action);
        }
        expect((await listAuditEvents(admin, "action=data_deletion.completed")).length).toBe(1);
      },
      { timeout: 15_000, interval: 100 },
    );
  });

  it("is for oneself, or an administrator, to ask for", async () => {
    const admin = new Client(newIdentity(), service.baseUrl);
    const [one, two] = [await createColleague(admin), await createColleague(admin)];
    expect((await one.post("/v1/data-deletions", { user_id: two.identity.user })).status).toBe(403);
    expect((await admin.post("/v1/data-deletions", { user_id: "nobody" })).status).toBe(404);
    expect((await admin.post("/v1/data-deletions", {})).status).toBe(400);
    const own = await one.post("/v1/data-deletions", { user_id: one.identity.user });
    const receipt = await completed(one, own.headers.get("location") ?? "");
    expect(receipt.counts).toEqual({});
  });
});
