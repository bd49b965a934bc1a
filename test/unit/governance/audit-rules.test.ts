import { expect, it } from "vitest";
import { toAuditEvent } from "#shared/governance/audit/audit-events.ts";

const at = "2026-01-01T00:00:00.000Z";
const expiredTtl = Date.parse(at) / 1_000 - 1;
const event = (type: string, before?: Record<string, unknown>, after?: Record<string, unknown>) =>
  toAuditEvent({ id: "change", type, at, before, after });

const conversation = { id: "c", owner_id: "u", title: "T", tier: "QUICK", pinned: false, changed_by: "user#u" };

it("toAuditEvent(), which turns a table change into an audit event, returns the actor and the changed fields without user content", () => {
  const after = { ...conversation, title: "New", pinned: true, changed_by: "api-key#k#1" };
  expect(event("conversation-updated", conversation, after)).toEqual({
    id: "change",
    occurred_at: at,
    actor: { type: "api_key", id: "k#1" },
    action: "conversation.updated",
    target: { type: "conversation", id: "c" },
    details: { changed: ["pinned", "title"], before: { pinned: false }, after: { pinned: true } },
  });
});

it.each([
  [
    "conversation activity",
    "conversation-updated",
    conversation,
    { ...conversation, last_activity_at: "x", message_count: 3 },
  ],
  [
    "the tier of a new message",
    "conversation-updated",
    conversation,
    { ...conversation, last_activity_at: "x", tier: "THINKING" },
  ],
  [
    "the attribution written before a deletion",
    "grant-updated",
    { permission: "READ" },
    { permission: "READ", deleted_by: "user#u" },
  ],
  ["use of an API key", "api-key-updated", { id: "k" }, { id: "k", last_used_at: at }],
  ["removal of an item already marked deleted", "conversation-deleted", { ...conversation, deleted: true }, undefined],
  [
    "another update of an item already marked deleted",
    "collection-deleted",
    { id: "c", deleted: true },
    { id: "c", deleted: true, timestamp: 2 },
  ],
  ["items deleted along with their parent", "grant-deleted", { conversation_id: "c", user_id: "u" }, undefined],
  ["item types outside the audit scope", "posting-created", undefined, { id: "p" }],
  ["creation of a message", "message-created", undefined, { message_id: "m", content: [] }],
])(
  "toAuditEvent(), which turns a table change into an audit event, returns no event for a table change that is not audited: %s",
  (_, type, before, after) => {
    expect(event(type, before, after)).toBe(null);
  },
);

it.each([
  ["conversation.deleted", "conversation-deleted", conversation, { ...conversation, deleted: true }, "user"],
  ["conversation.expired", "conversation-deleted", { ...conversation, ttl: expiredTtl }, undefined, "system"],
  [
    "grant.deleted",
    "grant-deleted",
    { conversation_id: "c", deleted_by: "user#u", ttl: expiredTtl },
    undefined,
    "user",
  ],
  [
    "grant.expired",
    "grant-deleted",
    { conversation_id: "c", changed_by: "user#u", ttl: expiredTtl },
    undefined,
    "system",
  ],
  ["api_key.revoked", "api-key-updated", { id: "k", is_revoked: false }, { id: "k", is_revoked: true }, "system"],
  [
    "persona.published",
    "persona-updated",
    { endpoint: null },
    { endpoint: { slug: "s" }, changed_by: "user#u" },
    "user",
  ],
  ["persona.unpublished", "persona-updated", { endpoint: {} }, { endpoint: null, changed_by: "user#u" }, "user"],
  [
    "message.edited",
    "message-updated",
    { content: [1] },
    { content: [2], edited_at: at, changed_by: "user#u" },
    "user",
  ],
])(
  "toAuditEvent(), which turns a table change into an audit event, returns the action and the actor of the event %s",
  (action, type, before, after, actor) => {
    const auditEvent = event(type, before, after);
    expect([auditEvent?.action, auditEvent?.actor.type]).toEqual([action, actor]);
  },
);

it.each([
  ["persona.restored", { version: 4, latest_version: 4, rollouts: [], restored_from: 1 }],
  ["persona.updated", { version: 4, latest_version: 4, rollouts: [], restored_from: null }],
  ["persona.updated", { version: 1, latest_version: 4, restored_from: null }],
  ["persona.version_published", { version: 2, rollouts: [] }],
  ["persona.version_published", { rollouts: [{ version: 3 }] }],
  ["persona.version_published", { rollouts: [{ version: 2 }, { version: 3 }] }],
  ["persona.version_withdrawn", { rollouts: [] }],
])("toAuditEvent() calls a change of the versions of a persona %s", (action, changes) => {
  const before = { endpoint: null, version: 1, latest_version: 3, rollouts: [{ version: 2 }], restored_from: 3 };
  expect(event("persona-updated", before, { ...before, ...changes })?.action).toBe(action);
});
