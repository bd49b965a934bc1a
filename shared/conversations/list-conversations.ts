import type { Conversation } from "../api/conversations/conversations.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import type { Page } from "../dynamodb/pagination.ts";
import type { Item } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { projectFor } from "./access.ts";
import { readConversation, type StoredConversation } from "./conversation-store.ts";
import { readGrant } from "./sharing/grant-store.ts";

interface ConversationFilters {
  readonly folder_id?: string;
  readonly pinned?: boolean;
  /** Substring of the title, ignoring case. */
  readonly q?: string;
}

/** Number of items per query of a filtered list. */
const FILTER_BATCH_SIZE = 200;

/**
 * Number of items after which a page ends even if it has fewer entries than requested. Reading them costs about 110
 * read units.
 */
const MAX_PAGE_ITEMS = 2_000;

/**
 * Lists a user's own and shared conversations by last activity, latest first, starting after the timestamp `after`.
 * Conversations with the same timestamp are on one page, unless they exceed `limit`, so that the timestamp alone is a
 * valid cursor.
 */
export async function listConversations(
  member: UserScope,
  { limit, after, ...filters }: ConversationFilters & { limit: number; after?: string },
): Promise<Page<Conversation>> {
  const { gsi1pk } = indexKeys.conversationByActivity(member.tenantId, member.userId, "");
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const batchSize = isFiltered ? FILTER_BATCH_SIZE : limit + 1;
  const matching: Conversation[] = [];
  let position = after;
  for (let itemCount = 0; ; ) {
    const items = await tenantTable(member).query({
      index: "gsi1",
      pk: gsi1pk,
      after: position,
      limit: batchSize,
      descending: true,
    });
    itemCount += items.length;
    const found = (await toEntries(member, items)).filter((conversation) => matches(conversation, filters));
    if (matching.length + found.length > limit) {
      const entries = takePageWithoutSplitTie([...matching, ...found], limit);
      return { entries, next: entries.at(-1)?.last_activity_at ?? null };
    }
    if (items.length < batchSize) return { entries: [...matching, ...found], next: null };
    const end = lastCompletePosition(items);
    position = end;
    matching.push(...found.filter(({ last_activity_at }) => last_activity_at >= end));
    if (itemCount >= MAX_PAGE_ITEMS) return { entries: matching, next: end };
  }
}

/**
 * Returns the last timestamp for which the batch certainly contains all items: items with the timestamp of its last
 * item may follow. If all items have one timestamp, returns that.
 */
function lastCompletePosition(items: readonly Item[]): string {
  const last = items.at(-1);
  return String((items.findLast(({ gsi1sk }) => gsi1sk !== last?.gsi1sk) ?? last)?.gsi1sk);
}

const isGrant = ({ discriminator }: Item) => discriminator === "grant";

/**
 * Converts items of the index to list entries. A grant is replaced by the current state of its conversation, or omitted
 * if that was deleted. The entry keeps the grant's `last_activity_at`, by which the list is sorted, so that cursors
 * stay valid.
 */
async function toEntries(member: UserScope, items: readonly Item[]): Promise<Conversation[]> {
  const shared = await findSharedConversations(member, items.filter(isGrant));
  return items.flatMap((item) => {
    if (!isGrant(item)) return projectFor(member.userId, readConversation(item));
    const { conversation_id, permission, last_activity_at } = readGrant(item);
    const conversation = shared.get(conversation_id);
    return conversation ? { ...projectFor(member.userId, conversation, permission), last_activity_at } : [];
  });
}

async function findSharedConversations(
  scope: TenantScope,
  grants: readonly Item[],
): Promise<Map<string, StoredConversation>> {
  const conversationKeys = grants.map((item) => keys.conversation(scope.tenantId, readGrant(item).conversation_id));
  const items = await batchGetAll(tenantTable(scope), conversationKeys, { consistent: true });
  const conversations = items.filter(({ deleted }) => !deleted).map(readConversation);
  return new Map(conversations.map((conversation) => [conversation.id, conversation]));
}

/** Returns true if a text contains each word of a query, in any order. */
const hasWords = (lowerCaseText: string, query = ""): boolean =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lowerCaseText.includes(word));

function matches(conversation: Conversation, { folder_id, pinned, q }: ConversationFilters): boolean {
  return (
    !conversation.temporary &&
    (folder_id === undefined || conversation.folder_id === folder_id) &&
    (pinned === undefined || conversation.pinned === pinned) &&
    hasWords(conversation.title.toLowerCase(), q)
  );
}

/**
 * Returns the first `limit` entries. If the entry after them has the same timestamp as the last ones, these are left
 * for the next page, unless they would be the whole page.
 */
function takePageWithoutSplitTie(conversations: readonly Conversation[], limit: number): readonly Conversation[] {
  const nextActivityAt = conversations[limit]?.last_activity_at;
  const page = conversations.slice(0, limit);
  const withoutTie = page.filter((conversation) => conversation.last_activity_at !== nextActivityAt);
  return withoutTie.length > 0 ? withoutTie : page;
}
