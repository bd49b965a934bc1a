import { afterAll, beforeAll, expect, it } from "vitest";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { listConversations } from "#shared/conversations/list-conversations.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const member = { tenantId: "t", userId: "u" };
const CONVERSATIONS = 2_300;

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
  const start = Date.UTC(2026, 0, 1);
  const conversations = Array.from({ length: CONVERSATIONS }, (_, index) => ({
    ...newConversation("u", {
      title: index === 0 ? "The oldest" : "Plan",
      tier: "QUICK",
      folder_id: null,
      persona_id: null,
    }),
    // Groups of three share a timestamp, so that batches end between equal ones.
    last_activity_at: new Date(start + Math.floor(index / 3) * 1_000).toISOString(),
  }));
  await mapConcurrent(conversations, (conversation) =>
    tenantTable(member).transact(newConversationWrites(member, conversation)),
  );
});
afterAll(() => table?.stop());

it("listConversations() of a user with thousands of conversations ends a filtered page after 2,000 conversations and continues at its cursor", async () => {
  const first = await listConversations(member, { limit: 50, q: "oldest" });
  expect(first.entries).toEqual([]);
  const second = await listConversations(member, { limit: 50, q: "oldest", after: first.next ?? "" });
  expect(second.entries.map(({ title }) => title)).toEqual(["The oldest"]);
  expect(second.next).toBeNull();
});

it("listConversations() of a user with thousands of conversations takes at most 150 read units for a page", async () => {
  const { read } = await table.measure(() => listConversations(member, { limit: 50, q: "none" }));
  expect(read).toBeLessThanOrEqual(150);
});

it("listConversations() of a user with thousands of conversations returns every matching conversation once over all pages", async () => {
  const ids: string[] = [];
  for (let after: string | undefined | null; after !== null; ) {
    const page = await listConversations(member, { limit: 90, q: "plan", ...(after && { after }) });
    ids.push(...page.entries.map(({ id }) => id));
    after = page.next;
  }
  expect(new Set(ids).size).toBe(CONVERSATIONS - 1);
  expect(ids).toHaveLength(CONVERSATIONS - 1);
});
