import type { Conversation } from "../api/conversations/conversations.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import type { Page } from "../dynamodb/pagination.ts";
import type { Item } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { projectFor } from "./access.ts";
import { conversationOf } from "./conversation-store.ts";
import { grantOf } from "./sharing/grant-store.ts";

/** What a list can be narrowed to. */
export interface ConversationFilters {
  readonly folder_id?: string;
  readonly pinned?: boolean;
  /** Part of the title, in any case. */
  readonly q?: string;
}

/** Items read at once while a filtered list is filled. */
const filterBatch = 200;

/**
 * The person's conversations and those shared with the person, newest activity first, beyond the activity `after`. A
 * page never ends between two of the same activity, so that the timestamp alone is a sound cursor.
 */
export async function listConversations(
  member: UserScope,
  { limit, after, ...filters }: ConversationFilters & { limit: number; after?: string },
): Promise<Page<Conversation>> {
  const { gsi1pk } = indexKeys.conversationByActivity(member.tenantId, member.userId, "");
  const filtered = Object.values(filters).some((value) => value !== undefined);
  const batch = filtered ? filterBatch : limit + 1;
  const found: Conversation[] = [];
  let position = after;
  for (;;) {
    const items = await tenantTable(member).query({
      index: "gsi1",
      pk: gsi1pk,
      after: position,
      limit: batch,
      descending: true,
    });
    found.push(...(await listEntries(member, items)).filter((conversation) => matches(conversation, filters)));
    if (items.length < batch || found.length > limit) break;
    position = items.at(-1)?.gsi1sk as string;
  }
  const entries = withoutSplitTie(found, limit);
  return { entries, next: found.length > limit ? (entries.at(-1)?.last_activity_at ?? null) : null };
}

const isGrant = ({ discriminator }: Item) => discriminator === "grant";

/**
 * Conversations of a list as the person sees them. A grant stands for its conversation, which is read with it: title and
 * all are as they are now, and what is deleted is not there. Its activity is the list's, so that cursors stay sound.
 */
async function listEntries(member: UserScope, items: readonly Item[]): Promise<Conversation[]> {
  const shared = await sharedConversations(member, items.filter(isGrant));
  return items.flatMap((item) => {
    if (!isGrant(item)) return projectFor(member.userId, conversationOf(item));
    const { conversation_id, permission, last_activity_at } = grantOf(item);
    const conversation = shared.get(conversation_id);
    return conversation
      ? { ...projectFor(member.userId, conversationOf(conversation), permission), last_activity_at }
      : [];
  });
}

async function sharedConversations(scope: TenantScope, grants: readonly Item[]): Promise<Map<string, Item>> {
  const wanted = grants.map((item) => keys.conversation(scope.tenantId, grantOf(item).conversation_id));
  const found = await batchGetAll(tenantTable(scope), wanted, { consistent: true });
  return new Map(found.filter(({ deleted }) => !deleted).map((item) => [conversationOf(item).id, item]));
}

function matches(conversation: Conversation, { folder_id, pinned, q }: ConversationFilters): boolean {
  return (
    (folder_id === undefined || conversation.folder_id === folder_id) &&
    (pinned === undefined || conversation.pinned === pinned) &&
    (q === undefined || conversation.title.toLowerCase().includes(q.toLowerCase()))
  );
}

/** The first `limit` entries, less those at the end that share their activity with the one after them. */
function withoutSplitTie(found: readonly Conversation[], limit: number): readonly Conversation[] {
  const beyond = found[limit]?.last_activity_at;
  const page = found.slice(0, limit);
  const whole = page.filter((conversation) => conversation.last_activity_at !== beyond);
  return whole.length > 0 ? whole : page;
}
