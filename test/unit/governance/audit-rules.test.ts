import { describe, expect, it } from "vitest";
import { auditEventOf } from "#shared/governance/audit/audit-rules.ts";

const at = "2026-01-01T00:00:00.000Z";
const over = Date.parse(at) / 1_000 - 1;
const event = (type: string, before?: Record<string, unknown>, after?: Record<string, unknown>) =>
  auditEventOf({ id: "change", type, at, before, after });

const conversation = { id: "c", owner_id: "u", title: "T", tier: "QUICK", pinned: false, changed_by: "user#u" };

describe("what the trail notes of a change", () => {
  it("is who changed which fields, without what people wrote", () => {
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
    ["an activity", "conversation-updated", conversation, { ...conversation, last_activity_at: "x", message_count: 3 }],
    [
      "a signature before a deletion",
      "grant-updated",
      { permission: "READ" },
      { permission: "READ", deleted_by: "user#u" },
    ],
    ["a key's use", "api-key-updated", { id: "k" }, { id: "k", last_used_at: at }],
    ["the removal of what was marked deleted", "conversation-deleted", { ...conversation, deleted: true }, undefined],
    [
      "another touch of what was marked deleted",
      "collection-deleted",
      { id: "c", deleted: true },
      { id: "c", deleted: true, timestamp: 2 },
    ],
    ["what goes with something else", "grant-deleted", { conversation_id: "c", user_id: "u" }, undefined],
    ["items nobody asks for", "posting-created", undefined, { id: "p" }],
    ["that a message was written", "message-created", undefined, { message_id: "m", content: [] }],
  ])("is nothing for %s", (_, type, before, after) => {
    expect(event(type, before, after)).toBe(null);
  });

  it.each([
    ["conversation.deleted", "conversation-deleted", conversation, { ...conversation, deleted: true }, "user"],
    ["conversation.expired", "conversation-deleted", { ...conversation, ttl: over }, undefined, "system"],
    ["grant.deleted", "grant-deleted", { conversation_id: "c", deleted_by: "user#u", ttl: over }, undefined, "user"],
    ["grant.expired", "grant-deleted", { conversation_id: "c", changed_by: "user#u", ttl: over }, undefined, "system"],
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
  ])("is %s", (action, type, before, after, actor) => {
    const noted = event(type, before, after);
    expect([noted?.action, noted?.actor.type]).toEqual([action, actor]);
  });
});
