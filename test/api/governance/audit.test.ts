import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import type { AuditEvent } from "#shared/api/governance/audit.ts";
import { toCursor } from "#shared/dynamodb/pagination.ts";
import { Client } from "#test/support/client.ts";
import { decideApproval, waitForResult } from "#test/support/governance/approvals.ts";
import { listAuditEvents, waitForAuditEvents } from "#test/support/governance/audit.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";

const verify = async (client: Client) => (await client.get("/v1/audit-events/verify")).body;

const toActor = (client: Client) => ({ type: "user", id: client.identity.user });

const findByAction = (events: readonly AuditEvent[], action: string) => events.find((event) => event.action === action);

it("audit trail records who changed a conversation, without the conversation's content", async () => {
  const owner = new Client();
  const reader = await createColleague(owner);
  const id = await owner.createConversation("Confidential title");
  await owner.patch(`/v1/conversations/${id}`, { title: "Another confidential title", pinned: true });
  await shareConversation(owner, id, reader, "READ");
  await shareConversation(owner, id, reader, "WRITE");
  const link = (await owner.post(`/v1/chat/${id}/share-link`, { expires_in: "1h" })).body;
  await owner.delete(`/v1/chat/${id}/share-links/${link.link_id}`);
  const secretText = "Text for the participants only";
  await reader.chat({ conversation_id: id, content: secretText, tier: "QUICK" });
  const { messages } = (await owner.get(`/v1/conversations/${id}/messages`)).body;
  await reader.patch(`/v1/conversations/${id}/messages/${messages[0].message_id}`, { content: `${secretText}!` });
  await owner.delete(`/v1/conversations/${id}/messages/${messages[1].message_id}`);
  await owner.delete(`/v1/chat/${id}/share/${reader.identity.user}`);
  await owner.delete(`/v1/conversations/${id}`);
  const actions = [
    ...["conversation.created", "conversation.updated", "grant.created", "grant.updated", "share_link.created"],
    ...["share_link.revoked", "message.edited", "message.deleted", "grant.deleted", "conversation.deleted"],
  ];
  const events = await waitForAuditEvents(owner, id, actions);
  const actorsByAction = Object.fromEntries(events.map(({ action, actor }) => [action, actor]));
  expect(actorsByAction).toMatchObject({
    ...Object.fromEntries(actions.map((action) => [action, toActor(owner)])),
    "message.edited": toActor(reader),
  });
  const renamed = events.find(({ details }) => (details.changed as string[] | undefined)?.includes("title"));
  expect(renamed?.details).toMatchObject({
    changed: expect.arrayContaining(["title", "pinned"]),
    before: { pinned: false },
    after: { pinned: true },
  });
  expect(findByAction(events, "grant.updated")?.details).toMatchObject({
    grant_id: reader.identity.user,
    before: { permission: "READ" },
    after: { permission: "WRITE" },
  });
  expect(findByAction(events, "message.edited")?.details).toMatchObject({ message_id: messages[0].message_id });
  const all = JSON.stringify(await listAuditEvents(owner));
  for (const secret of [secretText, "onfidential", link.token]) expect(all).not.toContain(secret);
});

it("audit trail records changes to roles, groups, API keys and the policy", async () => {
  const admin = new Client();
  await admin.post("/v1/roles", { name: "helper", permissions: ["usage.read"] });
  await admin.patch("/v1/roles/helper", { permissions: ["audit.read"] });
  await admin.delete("/v1/roles/helper");
  const group = (await admin.post("/v1/groups", { name: "Team", roles: ["admin"], member_ids: ["u1"] })).body.id;
  await admin.patch(`/v1/groups/${group}`, { member_ids: ["u1", "u2"] });
  await admin.delete(`/v1/groups/${group}`);
  const headers = { "idempotency-key": randomUUID() };
  const key = (await admin.post("/v1/tenant/api-keys", { description: "d", scopes: ["models.read"] }, headers)).body;
  await admin.delete(`/v1/tenant/api-keys/${key.id}`);
  await setPolicy(admin, { memory: { enabled: false } });
  const { guardrails } = (await admin.get("/v1/policy")).body;
  const actions = { ...guardrails.actions, secrets: { ...guardrails.actions.secrets, answer: "off" } };
  await setPolicy(admin, { memory: { enabled: true }, guardrails: { ...guardrails, actions } });
  const roles = await waitForAuditEvents(admin, "helper", ["role.created", "role.updated", "role.deleted"]);
  expect(findByAction(roles, "role.updated")).toMatchObject({
    actor: toActor(admin),
    target: { type: "role", id: "helper" },
    details: {
      changed: ["permissions"],
      before: { permissions: ["usage.read"] },
      after: { permissions: ["audit.read"] },
    },
  });
  expect(findByAction(roles, "role.deleted")?.actor).toEqual(toActor(admin));
  const groups = await waitForAuditEvents(admin, group, ["group.created", "group.updated", "group.deleted"]);
  expect(findByAction(groups, "group.deleted")?.actor).toEqual(toActor(admin));
  const keys = await waitForAuditEvents(admin, key.id, ["api_key.created", "api_key.revoked"]);
  expect(JSON.stringify(keys)).not.toContain(key.key);
  const policies = await waitForAuditEvents(admin, "policy", ["policy.created", "policy.updated"]);
  expect(findByAction(policies, "policy.updated")?.details).toMatchObject({
    before: { memory: { enabled: false }, guardrails, version: 1 },
    after: { memory: { enabled: true }, guardrails: { actions }, version: 2 },
  });
});

it("audit trail names a document as the target of its own events, with its collection in the details", async () => {
  const client = new Client();
  const collection = (await client.post("/v1/knowledge/collections", { name: "Plans" })).body.id;
  const path = `/v1/knowledge/collections/${collection}/documents`;
  const { id } = (await client.post(path, { title: "Plan", text: "Water the plants." })).body;
  await client.delete(`${path}/${id}`);
  const events = await waitForAuditEvents(client, id, ["document.created", "document.deleted"]);
  for (const action of ["document.created", "document.deleted"]) {
    expect(findByAction(events, action)).toMatchObject({
      target: { type: "document", id },
      details: { collection_id: collection },
    });
  }
});

it("audit trail records decisions on approvals by users and the approved actions by the system", async () => {
  const admin = new Client();
  const requester = await createColleague(admin);
  const params = { conversation_id: await requester.createConversation(), expires_in: "1h" };
  const request = { type: "share", reason: "A private reason", action: { operation: "createShareLink", params } };
  const { id } = (await requester.post("/v1/approvals", request)).body;
  await decideApproval(admin, id, "approve", { note: "A private note" });
  await waitForResult(requester, id);
  const actions = ["requested", "approved", "carried_out", "secret_given"].map((name) => `approval.${name}`);
  const events = await waitForAuditEvents(admin, id, actions);
  expect(events.map(({ action, actor }) => [action, actor]).reverse()).toEqual([
    ["approval.requested", toActor(requester)],
    ["approval.approved", toActor(admin)],
    ["approval.carried_out", { type: "system", id: null }],
    ["approval.secret_given", toActor(requester)],
  ]);
  expect(JSON.stringify(events)).not.toContain("private");
});

it("audit trail is filtered by actor, action, target and time", async () => {
  const admin = new Client();
  const other = await createColleague(admin);
  const mine = await admin.createConversation();
  await waitForAuditEvents(admin, mine, ["conversation.created"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const between = new Date().toISOString();
  const otherConversationId = await other.createConversation();
  await other.delete(`/v1/conversations/${otherConversationId}`);
  await waitForAuditEvents(admin, otherConversationId, ["conversation.deleted"]);
  const listMatches = async (query: string) =>
    (await listAuditEvents(admin, query)).map(({ action, target }) => [action, target.id]);
  expect(await listMatches(`actor=${other.identity.user}&action=conversation`)).toEqual([
    ["conversation.deleted", otherConversationId],
    ["conversation.created", otherConversationId],
  ]);
  expect(await listMatches("action=conversation.created")).toEqual([
    ["conversation.created", otherConversationId],
    ["conversation.created", mine],
  ]);
  expect(await listMatches(`target=${mine}`)).toEqual([["conversation.created", mine]]);
  expect(await listMatches(`action=conversation&until=${between}`)).toEqual([["conversation.created", mine]]);
  expect((await listMatches(`since=${between}`)).map(([, id]) => id)).toEqual([
    otherConversationId,
    otherConversationId,
  ]);
  expect(await listMatches(`target=${mine}&since=${between}`)).toEqual([]);
  const first = await admin.get("/v1/audit-events?limit=1&action=conversation");
  const second = await admin.get(`/v1/audit-events?limit=1&action=conversation&cursor=${first.body.next_cursor}`);
  expect(second.body.audit_events[0].action).toBe("conversation.created");
  expect((await admin.get(`/v1/audit-events?limit=1&cursor=${first.body.next_cursor}`)).status).toBe(400);
  expect((await admin.get("/v1/audit-events?since=yesterday")).status).toBe(400);
  for (const zone of ["Z", "+00", " -00", "+0000", " +00:00"]) {
    const moment = encodeURIComponent(between.replace("Z", zone));
    expect(await listMatches(`action=conversation&until=${moment}`), zone).toEqual([["conversation.created", mine]]);
  }
});

it("audit trail is readable with the permission audit.read, for the caller's tenant only", async () => {
  const admin = new Client();
  await waitForAuditEvents(admin, await admin.createConversation(), ["conversation.created"]);
  for (const path of ["/v1/audit-events", "/v1/audit-events/verify"]) {
    expect((await (await createColleague(admin)).get(path)).status).toBe(403);
  }
  expect(await listAuditEvents(new Client(), "action=conversation")).toEqual([]);
});

it("verification of the audit trail rejects a request with a forged cursor", async () => {
  const admin = new Client();
  const binding = { list: "audit-verification" };
  for (const position of ["x", "null", "{}", '{"seq":-5,"hash":""}', "1", "-1 0", `1.5 ${"0".repeat(64)}`]) {
    const cursor = toCursor({ tenantId: admin.identity.tenant }, binding, position);
    const { status, body } = await admin.get(`/v1/audit-events/verify?cursor=${cursor}`);
    expect([position, status, body.code]).toEqual([position, 400, "invalid_cursor"]);
  }
});

it("audit trail is a hash chain without gaps when changes are made concurrently", async () => {
  const admin = new Client();
  const people = await Promise.all(Array.from({ length: 5 }, () => createColleague(admin)));
  const createdIds = await Promise.all(Array.from({ length: 60 }, (_, n) => people[n % 5]?.createConversation()));
  await vi.waitFor(
    async () => expect((await listAuditEvents(admin, "action=conversation.created")).length).toBe(createdIds.length),
    { timeout: 180_000, interval: 100 },
  );
  const { valid, broken, head, checked } = await verify(admin);
  expect([valid, broken, checked]).toEqual([true, null, head.seq]);
  const events = (await listAuditEvents(admin)).reverse();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const [index, event] of events.slice(1).entries()) expect(event.previous_hash).toBe(events[index]?.hash);
});
