import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { attach } from "#test/support/chat/attachments.ts";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findObjectsContaining } from "#test/support/tables/bucket-contents.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let service: Switchboard;

beforeAll(async () => {
  service = await startSwitchboard();
});

afterAll(() => service?.stop());

const toIds = (response: ApiResponse, list: string, name = "id") =>
  response.body[list].map((entry: Record<string, string>) => entry[name]);

it("deleted conversation is purged with its grants, share links and feedback and disappears from every list", async () => {
  const owner = new Client(newIdentity(), service.baseUrl);
  const reader = await createColleague(owner);
  const persona = (await owner.post("/v1/personas", { name: "Guide", tier: "QUICK" })).body.id;
  const folder = (await owner.post("/v1/folders", { name: "Work" })).body.id;
  const createConversation = async () =>
    (await owner.post("/v1/conversations", { title: "x", persona_id: persona, folder_id: folder })).body.id;
  const [id, remainingId] = [await createConversation(), await createConversation()];
  const mark = crypto.randomUUID();
  const sent = (await attach(owner, id, "Sent.txt", `sent ${mark}`)).id;
  await attach(owner, id, "Unsent.txt", `unsent ${mark}`);
  const reply = await owner.post(
    "/v1/runtime/chat",
    { conversation_id: id, content: "Hello", tier: "QUICK", attachments: [sent] },
    { accept: "application/json" },
  );
  await owner.patch(`/v1/conversations/${id}/messages/${reply.body.message_id}`, { content: "Edited" });
  for (const conversation of [id, remainingId]) await shareConversation(owner, conversation, reader, "READ");
  const { token, link_id } = (await owner.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" })).body;
  const rating = { conversation_id: id, message_id: reply.body.message_id, rating: "up" };
  const feedback = [
    (await owner.post("/v1/feedback", rating)).body.id,
    (await reader.post("/v1/feedback", rating)).body.id,
  ];
  expect(findItemsContaining(service, id).length).toBeGreaterThan(8);
  expect(findObjectsContaining(service, mark)).toHaveLength(4);

  expect((await owner.delete(`/v1/conversations/${id}`)).status).toBe(204);
  const expectGone = async () => {
    for (const client of [owner, reader]) {
      expect((await client.get(`/v1/conversations/${id}`)).status).toBe(404);
      expect(toIds(await client.get("/v1/conversations?limit=1"), "conversations")).toEqual([remainingId]);
      expect(toIds(await client.get("/v1/conversations"), "conversations")).toEqual([remainingId]);
    }
    expect(toIds(await owner.get(`/v1/conversations?folder_id=${folder}`), "conversations")).toEqual([remainingId]);
    expect((await owner.get(`/v1/folders/${folder}`)).body.conversation_count).toBe(1);
    expect((await owner.get(`/v1/chat/${id}/share`)).status).toBe(404);
    expect((await owner.get(`/v1/chat/${id}/share-links/${link_id}`)).status).toBe(404);
    expect((await fetch(`${service.baseUrl}/v1/shared/${token}`)).status).toBe(410);
  };
  await expectGone();
  // The audit trail keeps the deletion.
  const findRemaining = (text: string) =>
    findItemsContaining(service, text).filter((item) => !item.includes('#audit"'));
  await vi.waitFor(() => expect(findRemaining(id)).toEqual([]), { timeout: 180_000, interval: 300 });
  for (const relatedId of [link_id, reply.body.message_id, ...feedback]) expect(findRemaining(relatedId)).toEqual([]);
  expect(findItemsContaining(service, token)).toEqual([]);
  await vi.waitFor(() => expect(findObjectsContaining(service, mark)).toEqual([]), {
    timeout: 180_000,
    interval: 300,
  });
  expect((await owner.get(`/v1/conversations/${id}/attachments/${sent}`)).status).toBe(404);
  await expectGone();
  expect((await owner.get("/v1/feedback")).body.feedback).toEqual([]);
  expect((await owner.get(`/v1/personas/${persona}`)).status).toBe(200);
  expect((await owner.delete(`/v1/folders/${folder}`)).status).toBe(204);
  expect((await owner.get(`/v1/conversations/${remainingId}`)).body).toMatchObject({
    folder_id: null,
    persona_id: persona,
  });
  expect((await owner.delete(`/v1/personas/${persona}`)).status).toBe(204);
  expect(toIds(await reader.get("/v1/conversations"), "conversations")).toEqual([remainingId]);
});
