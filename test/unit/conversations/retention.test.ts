import { expect, it } from "vitest";
import { newConversation, touchConversationWrite } from "#shared/conversations/conversation-store.ts";
import { hasCurrentExpiry, toExpirySeconds } from "#shared/conversations/retention.ts";

it.each([
  ["2026-01-01T00:00:00.000Z", 1, 1_767_312_000],
  ["2026-01-01T00:00:00.999999Z", 30, 1_769_817_600],
  ["2026-01-01T00:00:00.000Z", null, undefined],
  ["2026-01-01T00:00:00.000Z", undefined, undefined],
])(
  "retention of a conversation with the last activity at %s and a period of %s days ends at epoch second %s",
  (at, days, end) => {
    expect(toExpirySeconds(at, days)).toBe(end);
  },
);

it("retention of a conversation is recognized as outdated when an item's TTL does not match its retention days", () => {
  const last_activity_at = "2026-01-01T00:00:00.000Z";
  expect(hasCurrentExpiry({ last_activity_at })).toBe(true);
  expect(hasCurrentExpiry({ last_activity_at, retention_days: 1, ttl: 1_767_312_000 })).toBe(true);
  expect(hasCurrentExpiry({ last_activity_at, retention_days: 1 })).toBe(false);
  expect(hasCurrentExpiry({ last_activity_at, ttl: 1_767_312_000 })).toBe(false);
  expect(hasCurrentExpiry({ last_activity_at, retention_days: 2, ttl: 1_767_312_000 })).toBe(false);
});

it("retention of a conversation is extended by the write that records an activity", () => {
  const fresh = newConversation("u", { title: "T", tier: "QUICK", folder_id: null, persona_id: null });
  expect(touchConversationWrite({ tenantId: "t" }, fresh, 1).set.ttl).toBe(undefined);
  const { last_activity_at, ttl } = touchConversationWrite({ tenantId: "t" }, { ...fresh, retention_days: 7 }, 1).set;
  expect(ttl).toBe(toExpirySeconds(last_activity_at, 7));
});
